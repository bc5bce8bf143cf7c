package import FeedCore

/// Recognises a feed's format by its content and decodes it.
package struct FeedDecoder: FeedDecoding {
    package init() {}

    package func decode(
        _ document: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> DecodedFeed {
        let decoded = try decodeAny(document, selection)
        // When cancelled, the HTML reader stops in the midst of a piece, and the last item may be incomplete.
        guard !Task.isCancelled else { throw .cancelled }
        return decoded
    }

    private func decodeAny(_ document: FeedSource, _ selection: ImageSelection) throws(FeedError) -> DecodedFeed {
        switch BodyKind(of: document) {
        case .json:
            if let feed = try EssentialFeed.decode(document, taking: selection) { return feed }
            return try JSONFeed.decode(document, taking: selection)
        case .xml: return try XMLFeed.decode(document, taking: selection)
        case .other(let what):
            throw .invalidData("no known feed format: the answer \(what)", host: document.url.hostAndPort)
        }
    }

    package func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
        try OPMLList.decode(document)
    }
}
