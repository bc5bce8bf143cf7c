internal import CXML
internal import FeedCore

/// Reads an XML document front to back with libxml2 and tells a visitor of it. It builds no tree, expands no entity but
/// those of XML and HTML themselves, and loads nothing from elsewhere.
final class XMLReader {
    private let text: XMLText
    private var position = 0
    private let parser: UnsafeMutablePointer<xmlParserCtxt>
    private let dispatch: XMLDispatch
    private let entity = CharacterEntity()
    private let declarations = CharacterEntity()
    private var problem: DecodingFailure?
    private var endLine: Int?
    /// Whether something follows the root element that no document has there.
    private var hasRest = false
    private var eventCount = 0

    static func read(_ document: FeedSource, telling visitor: any XMLVisitor) throws(DecodingFailure) {
        try XMLReader(document, telling: visitor).run()
    }

    private init(_ document: FeedSource, telling visitor: any XMLVisitor) throws(DecodingFailure) {
        LibXML.initialised
        cxml_silence()
        text = try XMLText(document)
        guard let parser = xmlNewParserCtxt() else {
            throw .invalid("there is not enough memory to read it")
        }
        self.parser = parser
        dispatch = XMLDispatch(visitor, at: document)
    }

    deinit {
        cxml_free_document(parser)
        xmlFreeParserCtxt(parser)
    }

    private func run() throws(DecodingFailure) {
        var handler = Self.handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        cxml_set_handler(parser, &handler, context)
        // The loader limits how large a feed may be. The depth and all that takes time in its square are limited here.
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue
        let read: xmlInputReadCallback = { context, buffer, count in XMLReader.of(context)?.fill(buffer, count) ?? 0 }
        let tree = xmlCtxtReadIO(parser, read, nil, context, nil, "UTF-8", Int32(options))
        if let tree { xmlFreeDoc(tree) }
        if let problem { throw problem }
        guard let endLine else { throw text.stop ?? malformed("not well-formed") }
        if hasRest || text.stop != nil { dispatch.visitor.note("line \(endLine): left out what follows the end") }
    }

    private func end() throws(DecodingFailure) {
        try dispatch.end()
        guard dispatch.hasEnded else { return }
        guard cxml_is_well_formed(parser) != 0 else { throw malformed("not well-formed") }
        endLine = line
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
        context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives libxml2 nothing more once something was wrong, so that it finds an end.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        guard problem == nil, !hasRest, let buffer else { return 0 }
        let length = min(Int(count), text.end - position)
        text.bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: length)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
        }
        // Blanks in place of what is not read keep the lines and the columns.
        for index in 0..<max(0, min(text.start - position, length)) where buffer[index] != CChar(0x0A) {
            buffer[index] = CChar(0x20)
        }
        position += length
        return Int32(length)
    }

    // MARK: What libxml2 calls

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, local, prefix, uri, namespaces, _, count, _, attributes in
            guard let local else { return }
            XMLReader.of(context)?.tell { reader throws(DecodingFailure) in
                try reader.checkNames()
                try reader.dispatch.begin(
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
        handler.getParameterEntity = { context, name in XMLReader.of(context)?.declarations.empty(name) }
        handler.reference = { context, _ in
            XMLReader.of(context)?.fail { $0.malformed("an entity that is not defined") }
        }
        cxml_set_error_handler(&handler) { context, error in
            guard let error else { return }
            XMLReader.of(context)?.report(error.pointee)
        }
        return handler
    }

    private func tell(_ visit: (XMLReader) throws(DecodingFailure) -> Void) {
        guard problem == nil, endLine == nil else { return }
        eventCount += 1
        if eventCount % 256 == 0, Task.isCancelled { return fail { _ in .cancelled } }
        do throws(DecodingFailure) { try visit(self) } catch { problem = error }
    }

    private func checkNames() throws(DecodingFailure) {
        guard cxml_names(parser) <= LibXML.mostNames else { throw malformed("more than \(LibXML.mostNames) names") }
    }

    /// Nothing that is wrong behind the root element makes the document wrong.
    private func fail(_ make: (XMLReader) -> DecodingFailure) {
        if endLine != nil {
            hasRest = true
        } else if problem == nil {
            problem = make(self)
        }
    }

    private func entity(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity>? {
        name.flatMap { entity.named($0, inAttribute: cxml_is_in_attribute(parser) != 0) }
    }

    /// A prefix that was never declared is no fatal error: `XMLVocabulary` knows what prefixes are used for.
    private func report(_ error: xmlError) {
        let isUndefined = error.code == XML_WAR_UNDECLARED_ENTITY.rawValue
        guard error.level == XML_ERR_FATAL || isUndefined else { return }
        let text = error.message.map { String(cString: $0) } ?? "not well-formed"
        let reason = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        fail { reader in
            // The text is read up to a place that must not be read. At its end, that place is what is wrong.
            if reader.position == reader.text.end, let stop = reader.text.stop { return stop }
            return .malformed(
                reason.count > 160 ? "\(reason.prefix(160))…" : reason, line: Int(error.line),
                column: Int(error.int2))
        }
    }

    private var line: Int { Int(cxml_line(parser)) }
    private var column: Int { Int(cxml_column(parser)) }

    private func malformed(_ reason: String) -> DecodingFailure { .malformed(reason, line: line, column: column) }
}
