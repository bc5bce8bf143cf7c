internal import CXML
internal import FeedCore
internal import JSONText

/// Reads an XML document from front to back with libxml2 and passes its elements to a visitor.
///
/// It builds no tree, expands only the entities of XML and HTML, and loads no other resource. A document that is not
/// well-formed is repaired and read a second time.
final class XMLReader {
    private let text: XMLText
    private var cursor: XMLText.Cursor
    private let parser: UnsafeMutablePointer<xmlParserCtxt>
    private let dispatch: XMLDispatcher
    private let entity = CharacterEntity()
    /// The repairer of the document; nil as long as the document is considered well-formed.
    private var repairer: XMLRepairer?
    /// The notes for the visitor, which receives them after the root element has begun.
    private var pendingNotes: [String] = []
    /// The prefixes without a declaration that were noted.
    private var undeclaredPrefixes: Set<String> = []
    private static let mostPrefixes = 10
    private var problem: DecodingFailure?
    /// The reason why the document is not well-formed.
    private var fault: XMLFault?
    private var endLine: Int?
    /// Whether the root element is followed by something that XML forbids there.
    private var hasRest = false
    private var eventCount = 0

    /// Reads a document.
    ///
    /// Each pass needs a new visitor. It returns the fault of a document that was repaired.
    static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, for makeVisitor: () -> Visitor
    ) throws(DecodingFailure) -> (visitor: Visitor, fault: XMLFault?) {
        let text = try XMLText(document)
        var visitor = makeVisitor()
        guard let found = try XMLReader(text, at: document, for: visitor).run() else { return (visitor, nil) }
        let (repairer, fault) = try XMLRepairer.examine(text, with: found)
        visitor = makeVisitor()
        let reader = try XMLReader(text, at: document, for: visitor)
        (reader.repairer, reader.pendingNotes) = (repairer, [fault.note])
        if try reader.run() != nil { throw fault.failure }
        return (visitor, fault)
    }

    private init(
        _ text: XMLText, at document: FeedSource, for visitor: any XMLVisitor
    ) throws(DecodingFailure) {
        LibXML.initialised
        cxml_silence()
        self.text = text
        cursor = text.beginning
        guard let parser = xmlNewParserCtxt() else {
            throw .invalid("there is not enough memory to read it")
        }
        self.parser = parser
        dispatch = XMLDispatcher(visitor, at: document)
    }

    deinit {
        xmlFreeParserCtxt(parser)
    }

    /// Reads the document once, and returns why it did not reach the end, or nil.
    private func run() throws(DecodingFailure) -> XMLFault? {
        var handler = Self.handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        cxml_set_handler(parser, &handler, context)
        // The feed loader limits the size of a feed. This module limits the depth and everything whose time grows
        // quadratically.
        var options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue
        if repairer != nil { options |= XML_PARSE_RECOVER.rawValue }
        let read: xmlInputReadCallback = { context, buffer, count in
            XMLReader.reader(from: context)?.fill(buffer, count) ?? 0
        }
        let tree = xmlCtxtReadIO(parser, read, nil, context, nil, "UTF-8", Int32(options))
        if let tree { xmlFreeDoc(tree) }
        if let problem { throw problem }
        guard let endLine else { return fault ?? here("not well-formed") }
        if hasRest || text.stop != nil { dispatch.visitor.note("line \(endLine): left out what follows the end") }
        return nil
    }

    private func end() throws(DecodingFailure) {
        try dispatch.end()
        guard dispatch.hasEnded else { return }
        guard repairer != nil || cxml_is_well_formed(parser) != 0 else {
            fault = here("not well-formed")
            return
        }
        endLine = line
    }

    private static func reader(from context: UnsafeMutableRawPointer?) -> XMLReader? {
        context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Supplies text to libxml2.
    ///
    /// After a problem it supplies none, so that libxml2 stops.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        guard problem == nil, fault == nil, !hasRest, let buffer else { return 0 }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        return repairer != nil ? fillRepaired(room) : Int32(text.copy(from: &cursor, to: room))
    }

    private func fillRepaired(_ room: UnsafeMutableRawBufferPointer) -> Int32 {
        do throws(DecodingFailure) {
            return Int32(try repairer?.fill(room) ?? 0)
        } catch {
            problem = error
            return 0
        }
    }

    // MARK: What libxml2 calls

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, local, prefix, uri, namespaces, _, count, _, attributes in
            guard let local else { return }
            XMLReader.reader(from: context)?.forward { reader throws(DecodingFailure) in
                try reader.begin(
                    XMLTag(
                        local: local, prefix: prefix, uri: uri, namespaces: Int(namespaces), attributes: attributes,
                        attributeCount: Int(count), line: reader.line, column: reader.column))
            }
        }
        handler.endElementNs = { context, _, _, _ in
            XMLReader.reader(from: context)?.forward { reader throws(DecodingFailure) in try reader.end() }
        }
        handler.characters = { context, text, count in
            guard let text else { return }
            let bytes = UnsafeBufferPointer(start: text, count: Int(count))
            XMLReader.reader(from: context)?.forward { $0.dispatch.text(bytes) }
        }
        handler.cdataBlock = handler.characters
        handler.ignorableWhitespace = handler.characters
        handler.getEntity = { context, name in XMLReader.reader(from: context)?.entity(name) }
        handler.reference = { context, _ in
            XMLReader.reader(from: context)?.fail(isRefused: true) { $0.here("an entity that is not defined") }
        }
        cxml_set_error_handler(&handler) { context, error in
            guard let error else { return }
            XMLReader.reader(from: context)?.report(error.pointee)
        }
        return handler
    }

    private func forward(_ visit: (XMLReader) throws(DecodingFailure) -> Void) {
        guard problem == nil, fault == nil, endLine == nil else { return }
        eventCount += 1
        if eventCount % 256 == 0, Task.isCancelled {
            problem = .cancelled
            return
        }
        do throws(DecodingFailure) { try visit(self) } catch { problem = error }
    }

    private func begin(_ tag: XMLTag) throws(DecodingFailure) {
        // libxml2 reports a tag before it has read the whole tag, and the name of a tag that is cut off may be
        // incomplete.
        guard cxml_is_at_tag_end(parser) != 0 else { return }
        guard cxml_names(parser) <= LibXML.mostNames else { throw tag.malformed("more than \(LibXML.mostNames) names") }
        try dispatch.begin(tag)
        for note in pendingNotes { dispatch.visitor.note(note) }
        pendingNotes = []
    }

    /// Records a fault.
    ///
    /// Faults after the root element are harmless. In a repaired document, only the use of the document's own entities
    /// is a fault.
    private func fail(isRefused: Bool, _ make: (XMLReader) -> XMLFault) {
        guard endLine == nil else {
            hasRest = true
            return
        }
        guard problem == nil, fault == nil else { return }
        if repairer == nil { fault = make(self) } else if isRefused { problem = make(self).failure }
    }

    private func entity(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity>? {
        name.flatMap { entity.named($0, inAttribute: cxml_is_in_attribute(parser) != 0) }
    }

    /// Reports libxml2's error if it is fatal or concerns an entity.
    ///
    /// An undeclared prefix is accepted with a note: `XMLVocabulary` knows the usual meaning of prefixes.
    private func report(_ error: xmlError) {
        if error.code == XML_NS_ERR_UNDEFINED_NAMESPACE.rawValue { return noteUndeclaredPrefix(error) }
        let isUndefined =
            error.code == XML_WAR_UNDECLARED_ENTITY.rawValue || error.code == XML_ERR_UNDECLARED_ENTITY.rawValue
        guard error.level == XML_ERR_FATAL || isUndefined else { return }
        let text = error.message.map { String(cString: $0) } ?? "not well-formed"
        let reason = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        fail(isRefused: isUndefined) { _ in
            XMLFault(
                reason: reason.count > 160 ? "\(reason.prefix(160))…" : reason, line: Int(error.line),
                column: Int(error.int2))
        }
    }

    private func noteUndeclaredPrefix(_ error: xmlError) {
        guard endLine == nil, undeclaredPrefixes.count < Self.mostPrefixes, let prefix = error.str1 else { return }
        let name = String(cString: prefix)
        guard undeclaredPrefixes.insert(name).inserted else { return }
        pendingNotes.append("line \(error.line): the prefix \(JSONWriter.quote(name, limit: 40)) is not declared")
    }

    private var line: Int { Int(cxml_line(parser)) }
    private var column: Int { Int(cxml_column(parser)) }

    private func here(_ reason: String) -> XMLFault { XMLFault(reason: reason, line: line, column: column) }
}
