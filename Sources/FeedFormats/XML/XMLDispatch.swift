internal import CXML
internal import FeedCore

/// Stands between libxml2's events and a visitor. It knows what the visitor wants of the element at hand and which
/// `xml:base` holds, and gathers text.
final class XMLDispatch {
    /// No feed is nested so deep, even with XHTML in it.
    static let maxDepth = 200
    /// No feed has so many. For each name without a namespace, libxml2 goes through all that hold.
    private static let mostNamespaces = 1000

    let visitor: any XMLVisitor
    private let document: ResourceURL
    private var vocabularies: [(uri: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?, XMLVocabulary)] = []
    private var depth = 0
    /// Whether the root element was closed. What follows it is no part of the document.
    private(set) var hasEnded = false
    /// The number of namespaces that each open element declares.
    private var namespaces: [Int] = []
    private var namespaceCount = 0
    private var bases: [(depth: Int, url: ResourceURL)] = []
    private var budget: TextBudget
    /// The open element that is passed over or whose text is gathered.
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

    /// HTML knows no `xml:base`. A image under a base that the visitor will not see gets its URL in full.
    private func source(of element: XMLElement) throws(DecodingFailure) -> String? {
        guard let held, let base = bases.last, base.depth > held.depth, element.name.local == "img",
            let reference = element.attribute("src")
        else { return nil }
        let source: ResourceURL
        do throws(InvalidURL) {
            source = try WebReference(reference).resolved(on: base.url)
        } catch {
            return nil  // The collector will note it.
        }
        try budget.spend(source.text, source.credentials)
        guard let credentials = source.credentials else { return source.text }
        let scheme = "\(source.scheme.rawValue)://"
        return "\(scheme)\(credentials)@\(Substring(source.text.utf8.dropFirst(scheme.utf8.count)))"
    }

    /// Nil for a base that can't be used, which is ignored.
    private func base(_ reference: String) -> ResourceURL? {
        do { return try WebReference(reference).resolved(on: bases.last?.url ?? document) } catch { return nil }
    }

    /// libxml2 keeps one copy of each name, so that its address tells it apart.
    private func vocabulary(
        _ uri: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
    ) -> XMLVocabulary {
        if let known = vocabularies.first(where: { $0.uri == uri && $0.prefix == prefix }) { return known.2 }
        let vocabulary = XMLVocabulary(uri: uri, prefix: prefix)
        if vocabularies.count < 32 { vocabularies.append((uri, prefix, vocabulary)) }
        return vocabulary
    }
}
