internal import FeedCore
internal import JSONText

/// What a body is at first sight.
enum BodyKind: Equatable {
    case jsonObject
    /// No feed; what it is instead, in words that complete "the answer …".
    case other(String)

    init(of body: [UInt8]) {
        let start = body.prefix(4096)
        let text = start.dropFirst(start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).drop(while: Self.isWhitespace)
        switch text.first {
        case nil: self = .other(body.count > start.count ? "begins with white space only" : "is empty")
        case UInt8(ascii: "{"): self = .jsonObject
        case UInt8(ascii: "["): self = .other("is a JSON array, not an object")
        case UInt8(ascii: "<"): self = .other(Self.isHTML(text) ? "is an HTML page" : Self.markup(body))
        default: self = .other(Self.describe(body, text))
        }
    }

    private static func isHTML(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while rest.starts(with: "<!--".utf8) {
            while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
            rest = rest.dropFirst(3).drop(while: isWhitespace)
        }
        let opening = String(decoding: rest.prefix(15), as: UTF8.self).lowercased().utf8
        return ["<!doctype html", "<html", "<head", "<body"].contains { opening.starts(with: $0.utf8) }
    }

    private static func markup(_ body: [UInt8]) -> String {
        ImageType(signatureOf: body) == nil ? "is markup of no known kind" : "is an SVG image"
    }

    private static func describe(_ body: [UInt8], _ text: ArraySlice<UInt8>) -> String {
        if let image = ImageType(signatureOf: body) { return "is an image (\(image.mediaType))" }
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return "is in UTF-16, not UTF-8" }
        if text.contains(0) { return "is binary data" }
        return "begins with \(JSONWriter.quote(String(decoding: text.prefix(200), as: UTF8.self), limit: 40))"
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
