internal import CXML
internal import FeedCore

/// Reads an XML document front to back with libxml2 and tells a visitor of it. It builds no tree, expands no entity but
/// those of XML and HTML themselves, and loads nothing from elsewhere. A document that is not well-formed is mended and
/// read once more, for what it says.
final class XMLReader {
    private let text: XMLText
    private var cursor: XMLText.Cursor
    private let parser: UnsafeMutablePointer<xmlParserCtxt>
    private let dispatch: XMLDispatch
    private let entity = CharacterEntity()
    /// Nil while the document is taken to be well-formed.
    private var mender: XMLRepairer?
    /// What the mender mends, until the visitor is told of it.
    private var mended: XMLFault?
    private var problem: DecodingFailure?
    /// Why the document is not well-formed.
    private var fault: XMLFault?
    private var endLine: Int?
    /// Whether something follows the root element that no document has there.
    private var hasRest = false
    private var eventCount = 0

    /// A visitor is good for one time. Tells what was wrong with a document that was read all the same.
    static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, telling makeVisitor: () -> Visitor
    ) throws(DecodingFailure) -> (visitor: Visitor, fault: XMLFault?) {
        let text = try XMLText(document)
        var visitor = makeVisitor()
        guard let found = try XMLReader(text, at: document, telling: visitor).run() else { return (visitor, nil) }
        let (mender, fault) = try XMLRepairer.examine(text, with: found)
        visitor = makeVisitor()
        let reader = try XMLReader(text, at: document, telling: visitor)
        (reader.mender, reader.mended) = (mender, fault)
        if try reader.run() != nil { throw fault.failure }
        return (visitor, fault)
    }

    private init(
        _ text: XMLText, at document: FeedSource, telling visitor: any XMLVisitor
    ) throws(DecodingFailure) {
        LibXML.initialised
        cxml_silence()
        self.text = text
        cursor = text.beginning
        guard let parser = xmlNewParserCtxt() else {
            throw .invalid("there is not enough memory to read it")
        }
        self.parser = parser
        dispatch = XMLDispatch(visitor, at: document)
    }

    deinit {
        xmlFreeParserCtxt(parser)
    }

    /// Gives back why the document has not come to its end, if it has not.
    private func run() throws(DecodingFailure) -> XMLFault? {
        var handler = Self.handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        cxml_set_handler(parser, &handler, context)
        // The loader limits how large a feed may be. The depth and all that takes time in its square are limited here.
        var options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue
        if mender != nil { options |= XML_PARSE_RECOVER.rawValue }
        let read: xmlInputReadCallback = { context, buffer, count in XMLReader.of(context)?.fill(buffer, count) ?? 0 }
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
        guard mender != nil || cxml_is_well_formed(parser) != 0 else {
            fault = here("not well-formed")
            return
        }
        endLine = line
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
        context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives libxml2 nothing more once something was wrong, so that it finds an end.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        guard problem == nil, fault == nil, !hasRest, let buffer else { return 0 }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        return mender != nil ? fillMended(room) : Int32(text.copy(from: &cursor, to: room))
    }

    private func fillMended(_ room: UnsafeMutableRawBufferPointer) -> Int32 {
        do throws(DecodingFailure) {
            return Int32(try mender?.fill(room) ?? 0)
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
            XMLReader.of(context)?.tell { reader throws(DecodingFailure) in
                try reader.begin(
                    XMLTag(
                        local: local, prefix: prefix, uri: uri, namespaces: Int(namespaces), attributes: attributes,
                        attributeCount: Int(count), line: reader.line, column: reader.column))
            }
        }
        handler.endElementNs = { context, _, _, _ in
            XMLReader.of(context)?.tell { reader throws(DecodingFailure) in try reader.end() }
        }
        handler.characters = { context, text, count in
            guard let text else { return }
            let bytes = UnsafeBufferPointer(start: text, count: Int(count))
            XMLReader.of(context)?.tell { $0.dispatch.text(bytes) }
        }
        handler.cdataBlock = handler.characters
        handler.ignorableWhitespace = handler.characters
        handler.getEntity = { context, name in XMLReader.of(context)?.entity(name) }
        handler.reference = { context, _ in
            XMLReader.of(context)?.fail(isRefused: true) { $0.here("an entity that is not defined") }
        }
        cxml_set_error_handler(&handler) { context, error in
            guard let error else { return }
            XMLReader.of(context)?.report(error.pointee)
        }
        return handler
    }

    private func tell(_ visit: (XMLReader) throws(DecodingFailure) -> Void) {
        guard problem == nil, fault == nil, endLine == nil else { return }
        eventCount += 1
        if eventCount % 256 == 0, Task.isCancelled {
            problem = .cancelled
            return
        }
        do throws(DecodingFailure) { try visit(self) } catch { problem = error }
    }

    private func begin(_ tag: XMLTag) throws(DecodingFailure) {
        // libxml2 tells of a tag before it has seen its end. A tag that is cut off may have another name than this.
        guard cxml_is_at_tag_end(parser) != 0 else { return }
        guard cxml_names(parser) <= LibXML.mostNames else { throw tag.malformed("more than \(LibXML.mostNames) names") }
        try dispatch.begin(tag)
        if let mended { dispatch.visitor.note(mended.note) }
        mended = nil
    }

    /// Nothing that is wrong behind the root element makes the document wrong. A mended one is wrong only where it uses its
    /// own entities, which is refused.
    private func fail(isRefused: Bool, _ make: (XMLReader) -> XMLFault) {
        guard endLine == nil else {
            hasRest = true
            return
        }
        guard problem == nil, fault == nil else { return }
        if mender == nil { fault = make(self) } else if isRefused { problem = make(self).failure }
    }

    private func entity(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity>? {
        name.flatMap { entity.named($0, inAttribute: cxml_is_in_attribute(parser) != 0) }
    }

    /// A prefix that was never declared is no fatal error: `XMLVocabulary` knows what prefixes are used for.
    private func report(_ error: xmlError) {
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

    private var line: Int { Int(cxml_line(parser)) }
    private var column: Int { Int(cxml_column(parser)) }

    private func here(_ reason: String) -> XMLFault { XMLFault(reason: reason, line: line, column: column) }
}
