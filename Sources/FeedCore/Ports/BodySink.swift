/// Where a body goes. Calls come one after another, though not always from the same thread, and may block.
package protocol BodySink: AnyObject, Sendable {
    /// A body is about to come; what came before, if anything, is void. False: it isn't wanted and is not delivered.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
}
