internal import FeedCore
internal import JSONText

/// What the first bytes of a body say that it is.
enum BodyKind: Equatable {
    case json
    case xml
    /// No feed. The words say what it is instead, and complete "the answer …".
    case other(String)

    init(of document: FeedSource) {
        let body = document.bytes
        if LeadingBytes.isWideMarkup(body) {
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
