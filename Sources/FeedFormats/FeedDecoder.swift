package import FeedCore

/// Recognises a feed's format by its content and decodes it.
package struct FeedDecoder: FeedDecoding {
    package init() {}

    package func decode(_ body: [UInt8], from url: ResourceURL) throws(FeedError) -> Feed {
        switch BodyKind(of: body) {
        case .jsonObject: try EssentialFeed.decode(body, from: url)
        case .other(let what): throw .invalidData("no known feed format: the answer \(what)", host: url.host)
        }
    }
}
