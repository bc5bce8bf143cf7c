/// Makes a feed of a server's answer.
package protocol FeedDecoding: Sendable {
    /// Throws `invalidData` that says which item is wrong and why. `url` is where the bytes came from: what a feed may
    /// name depends on it.
    func decode(_ body: [UInt8], from url: ResourceURL) throws(FeedError) -> Feed
}
