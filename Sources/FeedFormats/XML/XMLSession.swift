internal import CXML
internal import FeedCore

/// One reading of one document.
final class XMLSession {
    private let document: FeedSource
    private var input: XMLInput
    private let skippedLines: Int
    private let parser: UnsafeMutablePointer<xmlParserCtxt>
    private let dispatch: XMLDispatch
    private let entity = CharacterEntity()
    private let declarations = CharacterEntity()
    private var problem: XMLProblem?
    /// What there is to say of a NUL, before which the document has to end.
    private var nul: XMLProblem?
    private var endLine: Int?
    /// Whether something follows the end that no document has there.
    private var hasRest = false
    private var eventCount = 0

    init(_ document: FeedSource, in encoding: XMLEncoding, telling visitor: any XMLVisitor) throws(XMLProblem) {
        LibXML.initialised
        cxml_silence()
        input = try XMLInput(document, in: encoding)
        guard let parser = xmlNewParserCtxt() else {
            throw .malformed(XMLMalformation(reason: "there is not enough memory to read it", line: 1, column: 1))
        }
        self.parser = parser
        self.document = document
        skippedLines = document.bytes[..<encoding.start].count { $0 == UInt8(ascii: "\n") }
        dispatch = XMLDispatch(visitor, at: document)
    }

    deinit {
        cxml_free_document(parser)
        xmlFreeParserCtxt(parser)
    }

    func run() throws(XMLProblem) {
        var handler = Self.handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        cxml_set_handler(parser, &handler, context)
        // How large a feed may be, all in all, is for its reader to say; how deep, and what of it there may be many of, is
        // seen to here.
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue
        let read: xmlInputReadCallback = { context, buffer, count in XMLSession.of(context)?.fill(buffer, count) ?? 0 }
        let tree = xmlCtxtReadIO(parser, read, nil, context, nil, EncodingLabel.utf8, Int32(options))
        if let tree { xmlFreeDoc(tree) }
        if let problem { throw problem }
        guard let endLine else { throw nul ?? malformed("not well-formed") }
        if hasRest || nul != nil { dispatch.visitor.note("line \(endLine): left out what follows the end") }
    }

    private func end() throws(XMLProblem) {
        try dispatch.end()
        guard dispatch.hasEnded else { return }
        guard cxml_is_well_formed(parser) != 0 else { throw malformed("not well-formed") }
        endLine = line
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLSession? {
        context.map { Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Nothing more comes once something was wrong, so that libxml2 finds an end.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        guard problem == nil, nul == nil, !hasRest, let buffer else { return 0 }
        let (length, fault) = input.fill(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
        switch fault {
        case nil: break
        case .encoding?: fail { $0.malformed("not in the encoding that the server names") }
        case .attributes?: fail { $0.malformed(AttributeCount.excess) }
        case .nul(nil)?: nul = malformed("a NUL character")
        case .nul(let place?)?:
            nul = .malformed(XMLMalformation(reason: "a NUL byte", at: place, of: document.bytes))
        }
        return problem == nil ? Int32(length) : 0
    }

    // MARK: What libxml2 calls

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, local, prefix, uri, namespaces, _, count, _, attributes in
            guard let local else { return }
            XMLSession.of(context)?.tell { session throws(XMLProblem) in
                try session.checkNames()
                try session.dispatch.begin(
                    XMLTag(
                        local: local, prefix: prefix, uri: uri, namespaces: Int(namespaces), attributes: attributes,
                        attributeCount: Int(count), line: session.line, column: session.column))
            }
        }
        handler.endElementNs = { context, _, _, _ in
            XMLSession.of(context)?.tell { session throws(XMLProblem) in try session.end() }
        }
        handler.characters = { context, text, count in
            guard let text else { return }
            let bytes = UnsafeBufferPointer(start: text, count: Int(count))
            XMLSession.of(context)?.tell { $0.dispatch.text(bytes) }
        }
        handler.cdataBlock = handler.characters
        handler.ignorableWhitespace = handler.characters
        handler.getEntity = { context, name in XMLSession.of(context)?.entity(name) }
        handler.getParameterEntity = { context, name in XMLSession.of(context)?.declarations.empty(name) }
        handler.reference = { context, _ in
            XMLSession.of(context)?.fail { $0.malformed("an entity that is not defined") }
        }
        cxml_set_error_handler(&handler) { context, error in
            guard let error else { return }
            XMLSession.of(context)?.report(error.pointee)
        }
        return handler
    }

    private func tell(_ visit: (XMLSession) throws(XMLProblem) -> Void) {
        guard problem == nil, endLine == nil else { return }
        eventCount += 1
        if eventCount % 256 == 0, Task.isCancelled { return fail { _ in .interrupted(.cancelled) } }
        do throws(XMLProblem) { try visit(self) } catch { problem = error }
    }

    private func checkNames() throws(XMLProblem) {
        guard cxml_names(parser) <= LibXML.mostNames else { throw malformed("more than \(LibXML.mostNames) names") }
    }

    /// Behind the document's end, nothing does.
    private func fail(_ make: (XMLSession) -> XMLProblem) {
        if endLine != nil {
            hasRest = true
        } else if problem == nil {
            problem = make(self)
        }
    }

    private func entity(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity>? {
        name.flatMap { entity.named($0, inAttribute: cxml_is_in_attribute(parser) != 0) }
    }

    /// Prefixes that were never declared are a fault of namespaces alone.
    private func report(_ error: xmlError) {
        let isUndefined = error.code == XML_WAR_UNDECLARED_ENTITY.rawValue
        guard error.level == XML_ERR_FATAL || isUndefined else { return }
        let text = error.message.map { String(cString: $0) } ?? "not well-formed"
        let reason = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        fail { session in
            session.nul
                ?? .malformed(
                    XMLMalformation(
                        reason: reason.count > 160 ? "\(reason.prefix(160))…" : reason,
                        line: Int(error.line) + session.skippedLines, column: Int(error.int2)))
        }
    }

    private var line: Int { Int(cxml_line(parser)) + skippedLines }
    private var column: Int { Int(cxml_column(parser)) }

    private func malformed(_ reason: String) -> XMLProblem {
        .malformed(XMLMalformation(reason: reason, line: line, column: column))
    }
}
