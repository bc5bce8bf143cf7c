internal import CXML

/// What is told of a piece of HTML, tag by tag.
protocol HTMLVisitor: AnyObject {
    /// `attribute` is good as long as the call.
    func begin(_ tag: String, _ attribute: (StaticString) -> String?)
    func end(_ tag: String)
    func text(_ text: UnsafeBufferPointer<UInt8>)
}

/// Reads HTML, broken or not, with libxml2, which builds no tree and looks for nothing outside. One reader reads many
/// pieces, one after the other.
final class HTMLReader {
    /// Deeper than any page is. libxml2 compares each tag with all that are open: what is nested without end takes
    /// without end.
    private static let maxDepth = 256
    /// Around each piece, and no element that HTML knows: nothing ends it. Where no element is open, libxml2 takes text
    /// for the beginning of a paragraph, in the midst of a word as anywhere.
    private static let enclosing = "<piece>"

    private var parser: UnsafeMutablePointer<xmlParserCtxt>?
    private var eventCount = 0
    /// What pieces before the one at hand left.
    private var earlierNames: Int32 = 0
    private var visitor: (any HTMLVisitor)?
    /// Why the piece at hand is left before its end.
    private var cut: String?

    init() {
        LibXML.initialised
        parser = htmlNewParserCtxt()
    }

    deinit { htmlFreeParserCtxt(parser) }

    /// Says why the rest was left, if it was.
    @discardableResult
    func read(_ html: String, telling visitor: any HTMLVisitor) -> String? {
        guard let parser, !html.isEmpty else { return nil }
        cxml_silence()
        self.visitor = visitor
        defer { self.visitor = nil }
        var handler = Self.handler
        cxml_set_handler(parser, &handler, Unmanaged.passUnretained(self).toOpaque())
        let options =
            HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NODEFDTD.rawValue | HTML_PARSE_NOIMPLIED.rawValue
        earlierNames = cxml_names(parser)
        let (translated, cut) = HTMLDialect.translated(html)
        self.cut = cut
        var piece = Self.enclosing + translated
        piece.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                let tree = htmlCtxtReadMemory(
                    parser, chars.baseAddress, Int32(clamping: chars.count), nil, "UTF-8", Int32(options))
                if let tree { xmlFreeDoc(tree) }
            }
        }
        cxml_free_document(parser)
        if cxml_names(parser) > LibXML.mostNames { forgetNames() }
        return self.cut
    }

    private func forgetNames() {
        htmlFreeParserCtxt(parser)
        parser = htmlNewParserCtxt()
    }

    /// A piece that is too deep or has too many names is left at the place, and any when nobody waits for it any more.
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
            reader.visitor?.begin(String(cString: tag)) { HTMLReader.value(of: $0, in: attributes) }
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
        // Scripts and styles, which nobody reads.
        handler.cdataBlock = { _, _, _ in }
        return handler
    }

    /// Names and values by turns, with a null at the end.
    private static func value(
        of name: StaticString, in attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) -> String? {
        guard var next = attributes else { return nil }
        while let given = next.pointee {
            if xmlStrcasecmp(given, name.utf8Start) == 0 { return next[1].map { String(cString: $0) } }
            next += 2
        }
        return nil
    }
}
