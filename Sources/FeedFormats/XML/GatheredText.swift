/// The text of an element, with the elements in it written as HTML.
struct GatheredText {
    private var bytes: [UInt8] = []
    private var open: [String] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The element's own text may be escaped HTML and stays as it is. Text of the elements in it is plain and is
    /// escaped.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if open.isEmpty { bytes += text } else { appendEscaped(text) }
    }

    /// `source` replaces the value of `src`.
    mutating func begin(_ element: XMLElement, source: String? = nil) {
        bytes += "<\(element.name.local)".utf8
        for (name, value) in element.plainAttributes {
            bytes += " \(name)=\"".utf8
            appendEscaped((name == "src" ? source ?? value : value).utf8)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        open.append(element.name.local)
    }

    mutating func end() {
        if let name = open.popLast(), !Self.empty.contains(name) { bytes += "</\(name)>".utf8 }
    }

    /// HTML has no end tags for these.
    private static let empty: Set<String> = [
        "img", "br", "hr", "source", "input", "link", "meta", "wbr", "col", "area",
    ]

    private mutating func appendEscaped(_ text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            default: bytes.append(byte)
            }
        }
    }
}
