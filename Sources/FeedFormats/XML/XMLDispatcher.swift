internal import CXML
internal import FeedCore

/// The parts of an element that a visitor wants to receive.
enum XMLInterest {
    /// The visitor receives each child, and then a call of `end`.
    case children
    /// `receive` gets all text in the element and its descendants.
    case text
    /// `receive` gets the text, with the elements in it written as HTML.
    case markup
    case nothing
}

/// Receives the elements of a document in their order.
protocol XMLVisitor: AnyObject {
    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest
    /// Ends the innermost element whose children the visitor receives.
    func end() throws(DecodingFailure)
    func receive(_ text: String, of name: XMLName) throws(DecodingFailure)
    /// Notes a part that was skipped or repaired.
    func note(_ note: String)
}

/// Passes libxml2's events on to a visitor.
///
/// It tracks what the visitor wants of the current element and which `xml:base` applies, and gathers text.
final class XMLDispatcher {
    /// The deepest nesting that is read; feeds with XHTML stay below it.
    static let maxDepth = 200
    /// The most namespaces in scope.
    ///
    /// libxml2 searches all of them for each name without a namespace.
    private static let mostNamespaces = 1000

    let visitor: any XMLVisitor
    private let document: ResourceURL
    private var vocabularies: [(uri: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?, XMLVocabulary)] = []
    private var depth = 0
    /// Whether the root element has ended.
    ///
    /// Whatever follows it is ignored.
    private(set) var hasEnded = false
    /// The number of namespaces that each open element declares.
    private var namespaces: [Int] = []
    private var namespaceCount = 0
    private var bases: [(depth: Int, url: ResourceURL)] = []
    private var budget: TextBudget
    /// The open element that is skipped or whose text is gathered.
    private var held: (interest: XMLInterest, name: XMLName, depth: Int)?
    private var gathered = GatheredText(isMarkup: false)

    init(_ visitor: any XMLVisitor, at document: FeedSource) {
        self.visitor = visitor
        self.document = document.url
        budget = TextBudget(for: document)
    }

    func begin(_ tag: XMLTag) throws(DecodingFailure) {
        depth += 1
        guard depth <= Self.maxDepth else { throw tag.malformed("nested more than \(Self.maxDepth) deep") }
        namespaces.append(tag.namespaces)
        namespaceCount += tag.namespaces
        guard namespaceCount <= Self.mostNamespaces else {
            throw tag.malformed("more than \(Self.mostNamespaces) namespaces at once")
        }
        if let held, held.interest != .markup { return }
        let name = XMLName(vocabulary(tag.uri, tag.prefix), String(cString: tag.local))
        var element = XMLElement(name, base: bases.last?.url, tag)
        if let reference = element.attribute("base", in: .xml), let base = base(reference) {
            try budget.spend(base.text, base.credentials)
            bases.append((depth, base))
            element = XMLElement(name, base: base, tag)
        }
        guard held == nil else { return gathered.begin(element, source: try source(of: element)) }
        let interest = try visitor.begin(element)
        if interest != .children {
            held = (interest, name, depth)
            gathered = GatheredText(isMarkup: interest == .markup)
        }
    }

    func end() throws(DecodingFailure) {
        defer {
            depth -= 1
            hasEnded = depth == 0
            if let last = bases.last, last.depth > depth { bases.removeLast() }
            namespaceCount -= namespaces.popLast() ?? 0
        }
        guard let held else { return try visitor.end() }
        if held.depth < depth {
            if held.interest == .markup { gathered.end() }
            return
        }
        self.held = nil
        guard held.interest != .nothing else { return }
        if gathered.isCut { visitor.note("left out the rest of a text of more than \(gathered.longest >> 20) MB") }
        let text = gathered.text
        gathered = GatheredText(isMarkup: false)
        try visitor.receive(text, of: held.name)
    }

    func text(_ bytes: UnsafeBufferPointer<xmlChar>) {
        if let held, held.interest != .nothing { gathered.append(bytes) }
    }

    /// Returns the absolute URL of an `img` under an `xml:base` inside gathered markup: HTML has no `xml:base`.
    ///
    /// It returns nil for any other element.
    private func source(of element: XMLElement) throws(DecodingFailure) -> String? {
        guard let held, let base = bases.last, base.depth > held.depth, element.name.local == "img",
            let reference = element.attribute("src")
        else { return nil }
        let source: ResourceURL
        do throws(InvalidURL) {
            source = try WebReference(reference).resolved(on: base.url)
        } catch {
            return nil  // The collector notes the invalid reference.
        }
        try budget.spend(source.text, source.credentials)
        guard let credentials = source.credentials else { return source.text }
        let scheme = "\(source.scheme.rawValue)://"
        return "\(scheme)\(credentials)@\(Substring(source.text.utf8.dropFirst(scheme.utf8.count)))"
    }

    /// Returns nil for an invalid base, which is ignored.
    private func base(_ reference: String) -> ResourceURL? {
        do { return try WebReference(reference).resolved(on: bases.last?.url ?? document) } catch { return nil }
    }

    /// Returns the vocabulary of a namespace.
    ///
    /// libxml2 stores each name once, so that its address identifies it.
    private func vocabulary(
        _ uri: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
    ) -> XMLVocabulary {
        if let known = vocabularies.first(where: { $0.uri == uri && $0.prefix == prefix }) { return known.2 }
        let vocabulary = XMLVocabulary(uri: uri, prefix: prefix)
        if vocabularies.count < 32 { vocabularies.append((uri, prefix, vocabulary)) }
        return vocabulary
    }
}

/// The text of an element, with the elements in it written as HTML.
struct GatheredText {
    private static let piece = 1 << 16

    /// The text without its last characters.
    ///
    /// An array would take twice the memory at its conversion to a string.
    private var beginning = ""
    /// The last characters: libxml2 reports a text in many short pieces.
    private var rest: [UInt8] = []
    private(set) var isCut = false
    /// The most bytes that are kept.
    let longest: Int
    private var open: [String] = []

    var text: String {
        let rest = String(decoding: rest, as: UTF8.self)
        return beginning.isEmpty ? rest : beginning + rest
    }

    /// Creates an empty text.
    ///
    /// Its limit is higher for markup: plain text is a title or a name, and a text in another encoding may be far
    /// longer in UTF-8.
    init(isMarkup: Bool) { longest = isMarkup ? 64 << 20 : 1 << 20 }

    /// Adds text of the element itself, which may be escaped HTML and stays unchanged, or text of a nested element,
    /// which is plain and is escaped.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if open.isEmpty { add(text) } else { appendEscaped(text) }
    }

    /// Begins a nested element.
    ///
    /// `source` replaces the value of `src`.
    mutating func begin(_ element: XMLElement, source: String? = nil) {
        add("<\(element.name.local)")
        for (name, value) in element.plainAttributes {
            add(" \(name)=\"")
            var value = name == "src" ? source ?? value : value
            value.withUTF8 { appendEscaped($0) }
            add("\"")
        }
        add(">")
        open.append(element.name.local)
    }

    mutating func end() {
        if let name = open.popLast(), !Self.empty.contains(name) { add("</\(name)>") }
    }

    /// The elements without an end tag in HTML.
    private static let empty: Set<String> = [
        "img", "br", "hr", "source", "input", "link", "meta", "wbr", "col", "area",
    ]

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var plain = 0
        for (index, byte) in text.enumerated() {
            guard let escaped = Self.escaped(byte) else { continue }
            add(UnsafeBufferPointer(rebasing: text[plain..<index]))
            add(escaped)
            plain = index + 1
        }
        add(UnsafeBufferPointer(rebasing: text[plain...]))
    }

    private static func escaped(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        default: nil
        }
    }

    /// Copies the bytes in pieces: the text of a CDATA section arrives at once.
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            var end = remaining.prefix(Self.piece).endIndex
            // The piece ends between two characters.
            while end < remaining.endIndex, remaining[end] & 0b1100_0000 == 0b1000_0000 { end += 1 }
            addPiece(UnsafeBufferPointer(rebasing: remaining[..<end]))
            remaining = remaining[end...]
        }
    }

    private mutating func add(_ more: String) {
        var more = more
        more.withUTF8 { addPiece($0) }
    }

    private mutating func addPiece(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !isCut, beginning.utf8.count + rest.count + bytes.count <= longest else {
            isCut = true
            return
        }
        rest.append(contentsOf: bytes)
        guard rest.count >= Self.piece else { return }
        beginning += String(decoding: rest, as: UTF8.self)
        rest.removeAll(keepingCapacity: true)
    }
}
