internal import CXML
internal import FeedCore

/// Between libxml2's events and a visitor: knows what the visitor wants of the element at hand, which `xml:base` holds,
/// and gathers text.
final class XMLDispatch {
    /// More than any feed needs, though XHTML in it may be deep.
    private static let maxDepth = 200
    /// More than any feed has: libxml2 goes through all that hold for each name without one.
    private static let mostNamespaces = 1000

    let visitor: any XMLVisitor
    private let document: ResourceURL
    private var vocabularies: [(uri: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?, XMLVocabulary)] = []
    private var depth = 0
    /// Whether the first element was closed. What follows it is no part of the document.
    private(set) var hasEnded = false
    /// How many each open element declares.
    private var namespaces: [Int] = []
    private var namespaceCount = 0
    private var bases: [(depth: Int, url: ResourceURL)] = []
    private var budget: TextBudget
    /// The element that is passed over or whose text is gathered, if there is one.
    private var held: (interest: XMLInterest, name: XMLName, depth: Int)?
    private var gathered = GatheredText()

    init(_ visitor: any XMLVisitor, at document: FeedSource) {
        self.visitor = visitor
        self.document = document.url
        budget = TextBudget(for: document)
    }

    func begin(_ tag: XMLTag) throws(XMLProblem) {
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
            try spend(base.text, base.credentials)
            bases.append((depth, base))
            element = XMLElement(name, base: base, tag)
        }
        guard held == nil else { return gathered.begin(element, source: try source(of: element)) }
        let interest = try visitor.begin(element)
        if interest != .children {
            held = (interest, name, depth)
            gathered = GatheredText()
        }
    }

    func end() throws(XMLProblem) {
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
        if held.interest != .nothing { try visitor.receive(gathered.text, of: held.name) }
    }

    func text(_ bytes: UnsafeBufferPointer<xmlChar>) {
        if let held, held.interest != .nothing { gathered.append(bytes) }
    }

    /// HTML knows no `xml:base`: where one holds that the visitor won't know of, a picture's URL is written in full.
    private func source(of element: XMLElement) throws(XMLProblem) -> String? {
        guard let held, let base = bases.last, base.depth > held.depth, element.name.local == "img",
            let reference = element.attribute("src")
        else { return nil }
        let source: ResourceURL
        do throws(InvalidURL) {
            source = try WebReference(reference).resolved(on: base.url)
        } catch {
            return nil  // Left as it stands, it is told of when it is found.
        }
        try spend(source.text, source.credentials)
        guard let credentials = source.credentials else { return source.text }
        let scheme = "\(source.scheme.rawValue)://"
        return "\(scheme)\(credentials)@\(Substring(source.text.utf8.dropFirst(scheme.utf8.count)))"
    }

    private func spend(_ texts: String?...) throws(XMLProblem) {
        do throws(Interruption) {
            for text in texts { try budget.spend(text) }
        } catch {
            throw .interrupted(error)
        }
    }

    /// A base that can't be used is none.
    private func base(_ reference: String) -> ResourceURL? {
        do { return try WebReference(reference).resolved(on: bases.last?.url ?? document) } catch { return nil }
    }

    /// libxml2 keeps one copy of each name, so that a look at where it lies tells it apart.
    private func vocabulary(
        _ uri: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
    ) -> XMLVocabulary {
        if let known = vocabularies.first(where: { $0.uri == uri && $0.prefix == prefix }) { return known.2 }
        let vocabulary = XMLVocabulary(uri: uri, prefix: prefix)
        if vocabularies.count < 32 { vocabularies.append((uri, prefix, vocabulary)) }
        return vocabulary
    }
}
