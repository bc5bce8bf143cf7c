internal import CXML
internal import FeedCore

/// Between libxml2's events and a visitor: knows what the visitor wants of the element at hand, which `xml:base` holds,
/// and gathers text.
final class XMLDispatch {
    /// More than any feed needs, though XHTML in it may be deep.
    private static let maxDepth = 200

    private let visitor: any XMLVisitor
    private let document: ResourceURL
    private var vocabularies: [(uri: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?, XMLVocabulary)] = []
    private var depth = 0
    private var bases: [(depth: Int, url: ResourceURL)] = []
    /// The element that is passed over or whose text is gathered, if there is one.
    private var held: (interest: XMLInterest, name: XMLName, depth: Int)?
    private var gathered = GatheredText()

    init(_ visitor: any XMLVisitor, at document: ResourceURL) {
        self.visitor = visitor
        self.document = document
    }

    func begin(
        _ local: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int32, line: Int, column: Int
    ) throws(XMLProblem) {
        depth += 1
        guard depth <= Self.maxDepth else {
            let reason = "nested more than \(Self.maxDepth) deep"
            throw .malformed(XMLMalformation(reason: reason, line: line, column: column))
        }
        if let held, held.interest != .markup { return }
        let name = XMLName(vocabulary(uri, prefix), String(cString: local))
        var element = XMLElement(name, base: bases.last?.url, line: line, attributes: attributes, count: count)
        guard held == nil else { return gathered.begin(element) }
        if let reference = element.attribute("base", in: .xml), let base = base(reference) {
            bases.append((depth, base))
            element = XMLElement(name, base: base, line: line, attributes: attributes, count: count)
        }
        let interest = try visitor.begin(element)
        if interest != .children {
            held = (interest, name, depth)
            gathered = GatheredText()
        }
    }

    func end() {
        defer {
            depth -= 1
            if let last = bases.last, last.depth > depth { bases.removeLast() }
        }
        guard let held else { return visitor.end() }
        if held.depth < depth {
            if held.interest == .markup { gathered.end() }
            return
        }
        self.held = nil
        if held.interest != .nothing { visitor.receive(gathered.text, of: held.name) }
    }

    func text(_ bytes: UnsafeBufferPointer<xmlChar>) {
        if let held, held.interest != .nothing { gathered.append(bytes) }
    }

    /// A base that can't be used is none.
    private func base(_ reference: String) -> ResourceURL? {
        do { return try (bases.last?.url ?? document).resolving(reference) } catch { return nil }
    }

    /// libxml2 keeps one copy of each name, so that a look at where it lies tells it apart.
    private func vocabulary(
        _ uri: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
    ) -> XMLVocabulary {
        if let known = vocabularies.first(where: { $0.uri == uri && $0.prefix == prefix }) { return known.2 }
        let vocabulary = XMLVocabulary(
            uri: uri.map { String(cString: $0) }, prefix: prefix.map { String(cString: $0) })
        if vocabularies.count < 32 { vocabularies.append((uri, prefix, vocabulary)) }
        return vocabulary
    }
}

/// The text of an element; elements in it as HTML.
private struct GatheredText {
    private var bytes: [UInt8] = []
    private var open: [String] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Text of the element itself may be escaped HTML, and stays as it is; that of elements within is but text.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if open.isEmpty { bytes += text } else { appendEscaped(text) }
    }

    mutating func begin(_ element: XMLElement) {
        bytes += "<\(element.name.local)".utf8
        for (name, value) in element.plainAttributes {
            bytes += " \(name)=\"".utf8
            appendEscaped(value.utf8)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        open.append(element.name.local)
    }

    mutating func end() {
        if let name = open.popLast(), !Self.empty.contains(name) { bytes += "</\(name)>".utf8 }
    }

    /// HTML knows no end of these.
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
