internal import CXML

/// Receives the tags and the texts of an HTML text in their order.
protocol HTMLVisitor: AnyObject {
    /// Begins an element. The attributes are valid until this method returns.
    func begin(_ tag: String, _ attributes: HTMLAttributes)
    func end(_ tag: String)
    func text(_ text: UnsafeBufferPointer<UInt8>)
}

/// Reads HTML, valid or not, with libxml2's event interface, which builds no tree and loads no other resource.
///
/// One reader reads many texts, one after the other.
final class HTMLReader {
    /// The deepest nesting that is read.
    ///
    /// libxml2 compares each tag with all open elements, so that its time grows with the depth.
    private static let maxDepth = 256
    private static let mostAttributes = 250
    /// An element around the text.
    ///
    /// libxml2 would otherwise open a paragraph at any text outside an element, even inside a word. HTML has no element
    /// of this name, so that every end tag in the text leaves it open.
    private static let enclosing = Array("<piece>".utf8)

    private var parser: UnsafeMutablePointer<xmlParserCtxt>?
    private var eventCount = 0
    /// The number of names that earlier texts left in the parser.
    private var earlierNames: Int32 = 0
    private var visitor: (any HTMLVisitor)?
    /// The reason why the rest of the current text is skipped.
    private var skipReason: String?

    init() {
        LibXML.initialised
        parser = htmlNewParserCtxt()
    }

    deinit { htmlFreeParserCtxt(parser) }

    /// Reads the text, and returns the reason why its rest was skipped, or nil.
    @discardableResult
    func read(_ html: String, for visitor: any HTMLVisitor) -> String? {
        guard let parser, !html.isEmpty else { return nil }
        cxml_silence()
        self.visitor = visitor
        defer { self.visitor = nil }
        var handler = Self.handler
        cxml_set_handler(parser, &handler, Unmanaged.passUnretained(self).toOpaque())
        earlierNames = cxml_names(parser)
        skipReason = nil
        var html = html
        html.withUTF8 { parse($0, with: parser) }
        cxml_free_document(parser)
        if cxml_names(parser) > LibXML.mostNames { forgetNames() }
        return skipReason
    }

    /// Reads up to the first tag that has too many attributes, is too long, or is cut off by the end of a shortened
    /// text.
    private func parse(_ bytes: UnsafeBufferPointer<UInt8>, with parser: UnsafeMutablePointer<xmlParserCtxt>) {
        let end = TagScanner.end(ofHTML: bytes, most: Self.mostAttributes)
        skipReason = end?.excess.map { "a tag with \($0)" }
        // HTML_PARSE_RECOVER: a script ends only at its own end tag.
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
            | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NODEFDTD.rawValue
            | HTML_PARSE_NOIMPLIED.rawValue
        var input = Input(text: UnsafeRawBufferPointer(bytes).prefix(end?.offset ?? bytes.count))
        let read: xmlInputReadCallback = { input, room, count in
            guard let input, let room else { return 0 }
            let piece = UnsafeMutableRawBufferPointer(start: room, count: Int(count))
            return Int32(input.assumingMemoryBound(to: Input.self).pointee.fill(piece))
        }
        withUnsafeMutablePointer(to: &input) { input in
            if let tree = htmlCtxtReadIO(parser, read, nil, input, nil, "UTF-8", Int32(options)) { xmlFreeDoc(tree) }
        }
    }

    /// Supplies a text to libxml2 in small pieces: libxml2 would copy a text that it receives at once.
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

    /// Stops the parser if the text is nested too deeply, has too many names, or the task is cancelled.
    private func stopIfNeeded() {
        guard let parser else { return }
        eventCount += 1
        if cxml_depth(parser) > 1 + Self.maxDepth {
            skipReason = "HTML nested more than \(Self.maxDepth) deep"
        } else if cxml_names(parser) - earlierNames > LibXML.mostNames {
            skipReason = "more than \(LibXML.mostNames) names"
        } else {
            guard eventCount % 256 == 0, Task.isCancelled else { return }
        }
        xmlStopParser(parser)
    }

    private static func reader(from context: UnsafeMutableRawPointer?) -> HTMLReader? {
        context.map { Unmanaged<HTMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = 1
        handler.startElement = { context, tag, attributes in
            guard let tag, let reader = HTMLReader.reader(from: context) else { return }
            reader.visitor?.begin(String(cString: tag), HTMLAttributes(first: attributes))
            reader.stopIfNeeded()
        }
        handler.endElement = { context, tag in
            guard let tag else { return }
            HTMLReader.reader(from: context)?.visitor?.end(String(cString: tag))
        }
        handler.characters = { context, text, count in
            guard let text else { return }
            HTMLReader.reader(from: context)?.visitor?.text(UnsafeBufferPointer(start: text, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        // The content of scripts and styles is ignored.
        handler.cdataBlock = { _, _, _ in }
        return handler
    }
}

/// The attributes of a tag, with names in lower case.
///
/// They are valid during the call that passes them.
struct HTMLAttributes {
    /// The names and values in turn, with a null pointer at the end; nil for a tag without attributes.
    let first: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?

    /// Calls `body` for each attribute.
    ///
    /// `value` creates the string on demand, which is empty for an attribute without a value.
    func visit(_ body: (_ name: String, _ value: () -> String) -> Void) {
        guard var next = first else { return }
        while let name = next.pointee {
            let value = next[1]
            body(String(cString: name)) { value.map { String(cString: $0) } ?? "" }
            next += 2
        }
    }

    subscript(_ name: StaticString) -> String? {
        guard var next = first else { return nil }
        while let given = next.pointee {
            if xmlStrcasecmp(given, name.utf8Start) == 0 { return next[1].map { String(cString: $0) } }
            next += 2
        }
        return nil
    }
}
