internal import CXML

/// Is told of a piece of HTML, tag by tag.
protocol HTMLVisitor: AnyObject {
    /// The attributes are good until this returns.
    func begin(_ tag: String, _ attributes: HTMLAttributes)
    func end(_ tag: String)
    func text(_ text: UnsafeBufferPointer<UInt8>)
}

/// Reads HTML, broken or not, with libxml2, which builds no tree and loads nothing from elsewhere. One reader reads many
/// pieces, one after the other.
final class HTMLReader {
    /// No page is so deep. libxml2 compares each tag with all that are open, so that endless nesting would take endless
    /// time.
    private static let maxDepth = 256
    private static let mostAttributes = 250
    /// HTML knows no such element, so that nothing ends it. Without an open element, libxml2 begins a paragraph at any text,
    /// even in the midst of a word.
    private static let enclosing = Array("<piece>".utf8)

    private var parser: UnsafeMutablePointer<xmlParserCtxt>?
    private var eventCount = 0
    /// How many names earlier pieces left in the parser.
    private var earlierNames: Int32 = 0
    private var visitor: (any HTMLVisitor)?
    /// Why the rest of the piece at hand is left out.
    private var cut: String?

    init() {
        LibXML.initialised
        parser = htmlNewParserCtxt()
    }

    deinit { htmlFreeParserCtxt(parser) }

    /// Gives back why the rest of the piece was left out, if it was.
    @discardableResult
    func read(_ html: String, telling visitor: any HTMLVisitor) -> String? {
        guard let parser, !html.isEmpty else { return nil }
        cxml_silence()
        self.visitor = visitor
        defer { self.visitor = nil }
        var handler = Self.handler
        cxml_set_handler(parser, &handler, Unmanaged.passUnretained(self).toOpaque())
        earlierNames = cxml_names(parser)
        cut = nil
        var html = html
        html.withUTF8 { parse($0, with: parser) }
        cxml_free_document(parser)
        if cxml_names(parser) > LibXML.mostNames { forgetNames() }
        return cut
    }

    /// Reads up to a tag that is made to take without end, or that the end of a shortened text cuts off.
    private func parse(_ bytes: UnsafeBufferPointer<UInt8>, with parser: UnsafeMutablePointer<xmlParserCtxt>) {
        let end = TagScanner.end(ofHTML: bytes, most: Self.mostAttributes)
        cut = end?.excess.map { "a tag with \($0)" }
        // To recover means that a script ends at its own end tag alone.
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
            | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NODEFDTD.rawValue
            | HTML_PARSE_NOIMPLIED.rawValue
        var input = Input(text: UnsafeRawBufferPointer(bytes).prefix(end?.place ?? bytes.count))
        let read: xmlInputReadCallback = { input, room, count in
            guard let input, let room else { return 0 }
            let piece = UnsafeMutableRawBufferPointer(start: room, count: Int(count))
            return Int32(input.assumingMemoryBound(to: Input.self).pointee.fill(piece))
        }
        withUnsafeMutablePointer(to: &input) { input in
            if let tree = htmlCtxtReadIO(parser, read, nil, input, nil, "UTF-8", Int32(options)) { xmlFreeDoc(tree) }
        }
    }

    /// Hands a piece to libxml2 bit by bit: it would copy the whole of what it is given at once.
    private struct Input {
        private var beginning = HTMLReader.enclosing[...]
        private var rest: Slice<UnsafeRawBufferPointer>

        init(text: Slice<UnsafeRawBufferPointer>) { rest = text }

        mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
            guard beginning.isEmpty else {
                let bit = beginning.prefix(room.count)
                room.copyBytes(from: bit)
                beginning = beginning.dropFirst(bit.count)
                return bit.count
            }
            let bit = rest.prefix(room.count)
            room.copyBytes(from: bit)
            rest = rest.dropFirst(bit.count)
            return bit.count
        }
    }

    private func forgetNames() {
        htmlFreeParserCtxt(parser)
        parser = htmlNewParserCtxt()
    }

    /// Stops where a piece is too deep or has too many names, and wherever the task is cancelled.
    private func stopIfNeeded() {
        guard let parser else { return }
        eventCount += 1
        if cxml_depth(parser) > 1 + Self.maxDepth {
            cut = "HTML nested more than \(Self.maxDepth) deep"
        } else if cxml_names(parser) - earlierNames > LibXML.mostNames {
            cut = "more than \(LibXML.mostNames) names"
        } else {
            guard eventCount % 256 == 0, Task.isCancelled else { return }
        }
        xmlStopParser(parser)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTMLReader? {
        context.map { Unmanaged<HTMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = 1
        handler.startElement = { context, tag, attributes in
            guard let tag, let reader = HTMLReader.of(context) else { return }
            reader.visitor?.begin(String(cString: tag), HTMLAttributes(first: attributes))
            reader.stopIfNeeded()
        }
        handler.endElement = { context, tag in
            guard let tag else { return }
            HTMLReader.of(context)?.visitor?.end(String(cString: tag))
        }
        handler.characters = { context, text, count in
            guard let text else { return }
            HTMLReader.of(context)?.visitor?.text(UnsafeBufferPointer(start: text, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        // Nobody reads scripts and styles.
        handler.cdataBlock = { _, _, _ in }
        return handler
    }
}
