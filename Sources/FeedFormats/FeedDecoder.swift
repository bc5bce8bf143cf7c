package import FeedCore
internal import JSONText

/// Recognises a feed's format by its content and decodes it.
package struct FeedDecoder: FeedDecoding {
    package init() {}

    package func decode(
        _ document: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> DecodedFeed {
        let decoded = try decodeAny(document, selection)
        // The HTML reader of a cancelled task stops in the middle of a text, and the last item may be incomplete.
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

    package func readPage(
        _ page: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> [PageImage] {
        try PageImages.find(in: page, taking: selection)
    }

    package func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
        try OPMLList.decode(document)
    }
}

/// The kind of document that the first bytes of a body indicate.
enum BodyKind: Equatable {
    case json
    case xml
    /// Another kind than a feed. The description completes "the answer …".
    case other(String)

    init(of document: FeedSource) {
        let body = document.bytes
        if WideText.isMarkup(body) {
            self = .xml
            return
        }
        let text = body[LeadingBytes.end(in: body)...]
        switch text.first {
        case nil: self = .other(body.isEmpty || body.count <= 4096 ? "is empty" : "begins with white space only")
        case UInt8(ascii: "{"): self = .json
        case UInt8(ascii: "["): self = .other("is a JSON array, not an object")
        case UInt8(ascii: "<"): self = Self.isHTML(text) ? .other(HTMLPage.description(of: document)) : .xml
        default: self = .other(Self.describe(body, text.prefix(4096)))
        }
    }

    private static func isHTML(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while rest.starts(with: "<!--".utf8) {
            while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
            rest = rest.dropFirst(3).drop(while: LeadingBytes.isWhitespace)
        }
        let opening = String(decoding: rest.prefix(15), as: UTF8.self).lowercased().utf8
        return ["<!doctype html", "<html", "<head", "<body"].contains { opening.starts(with: $0.utf8) }
    }

    private static func describe(_ body: [UInt8], _ text: ArraySlice<UInt8>) -> String {
        if let image = ImageType(signatureOf: body) { return "is an image (\(image.mediaType))" }
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return "is in UTF-16, not UTF-8" }
        if text.contains(0) { return "is binary data" }
        return "begins with \(JSONWriter.quote(String(decoding: text.prefix(200), as: UTF8.self), limit: 40))"
    }
}
