internal import CXML
internal import FeedCore
internal import JSONText

/// Reads an XML document front to back with libxml2 and tells a visitor of it. No tree is built; no entity is expanded
/// but those of XML and HTML themselves; nothing outside the document is looked for.
enum XMLReader {
    /// The visitor that `make` gives, told of all there is.
    static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, _ make: () -> Visitor
    ) throws(XMLProblem) -> Visitor {
        var first: XMLProblem?
        for encoding in XMLEncoding.candidates(for: document) {
            do {
                return try read(document, in: encoding, make())
            } catch {
                guard case .malformed = error else { throw error }
                first = first ?? error
            }
        }
        throw first ?? .malformed(XMLMalformation(reason: "not well-formed", line: 1, column: 1))
    }

    private static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, in encoding: XMLEncoding, _ visitor: Visitor
    ) throws(XMLProblem) -> Visitor {
        let session = try XMLSession(document, in: encoding, telling: visitor)
        try session.run()
        return visitor
    }
}

/// One reading of one document.
private final class XMLSession {
    private let document: FeedSource
    /// Nil where the document is in UTF-8.
    private let decoder: TextDecoder?
    private let skippedLines: Int
    private let parser: UnsafeMutablePointer<xmlParserCtxt>
    private let dispatch: XMLDispatch
    private let entity = CharacterEntity()
    private let declarations = CharacterEntity()
    private var position: Int
    private var problem: XMLProblem?
    private var attributes = AttributeCount()
    private var eventCount = 0

    init(_ document: FeedSource, in encoding: XMLEncoding, telling visitor: any XMLVisitor) throws(XMLProblem) {
        LibXML.initialised
        cxml_silence()
        guard let parser = xmlNewParserCtxt() else {
            throw .malformed(XMLMalformation(reason: "there is not enough memory to read it", line: 1, column: 1))
        }
        self.parser = parser
        self.document = document
        position = encoding.start
        skippedLines = document.bytes[..<encoding.start].count { $0 == UInt8(ascii: "\n") }
        dispatch = XMLDispatch(visitor, at: document)
        decoder = encoding.decoder.flatMap { TextDecoder($0, isStrict: encoding.trust == .untilItFails) }
        if let name = encoding.unreadable ?? (decoder == nil ? encoding.decoder : nil) {
            let shown = JSONWriter.quote(name, limit: 40)
            throw .malformed(XMLMalformation(reason: "the encoding \(shown) is not supported", line: 1, column: 1))
        }
    }

    deinit {
        cxml_free_document(parser)
        xmlFreeParserCtxt(parser)
    }

    func run() throws(XMLProblem) {
        var handler = Self.handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        cxml_set_handler(parser, &handler, context)
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        let read: xmlInputReadCallback = { context, buffer, count in XMLSession.of(context)?.fill(buffer, count) ?? 0 }
        let tree = xmlCtxtReadIO(parser, read, nil, context, nil, EncodingLabel.utf8, Int32(options))
        if let tree { xmlFreeDoc(tree) }
        if let problem { throw problem }
        guard cxml_is_well_formed(parser) != 0 else { throw malformed("not well-formed") }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLSession? {
        context.map { Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Nothing more comes once something was wrong, so that libxml2 finds an end.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        guard problem == nil, let buffer else { return 0 }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        let length = document.bytes.withUnsafeBytes { next(of: $0, into: room) }
        check(UnsafeRawBufferPointer(rebasing: room[..<length]))
        return problem == nil ? Int32(length) : 0
    }

    private func next(of bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let decoder else {
            let length = min(room.count, bytes.count - position)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
            position += length
            return length
        }
        while true {
            let (read, written) = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[position...]), into: room)
            position += read
            if decoder.hasFailed { fail { $0.malformed("not in the encoding that the server names") } }
            // What changes from one set of characters to another is no text itself.
            if written > 0 || read == 0 { return written }
        }
    }

    /// libxml2 takes a NUL for the end.
    private func check(_ text: UnsafeRawBufferPointer) {
        if let place = text.firstIndex(of: 0) {
            let offset = position - text.count + place
            fail { session in
                guard session.decoder == nil else { return session.malformed("a NUL character") }
                return .malformed(XMLMalformation(reason: "a NUL byte", at: offset, of: session.document.bytes))
            }
        } else if text.withMemoryRebound(to: UInt8.self, { attributes.exceeds(in: $0) }) {
            fail { $0.malformed(AttributeCount.excess) }
        }
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
            XMLSession.of(context)?.tell { session throws(XMLProblem) in try session.dispatch.end() }
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
        guard problem == nil else { return }
        eventCount += 1
        if eventCount % 256 == 0, Task.isCancelled { return fail { _ in .interrupted(.cancelled) } }
        do throws(XMLProblem) { try visit(self) } catch { problem = error }
    }

    private func checkNames() throws(XMLProblem) {
        guard cxml_names(parser) <= LibXML.mostNames else { throw malformed("more than \(LibXML.mostNames) names") }
    }

    private func fail(_ make: (XMLSession) -> XMLProblem) {
        if problem == nil { problem = make(self) }
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
        fail { _ in
            .malformed(
                XMLMalformation(
                    reason: reason.count > 160 ? "\(reason.prefix(160))…" : reason,
                    line: Int(error.line) + skippedLines, column: Int(error.int2)))
        }
    }

    private var line: Int { Int(cxml_line(parser)) + skippedLines }
    private var column: Int { Int(cxml_column(parser)) }

    private func malformed(_ reason: String) -> XMLProblem {
        .malformed(XMLMalformation(reason: reason, line: line, column: column))
    }
}
