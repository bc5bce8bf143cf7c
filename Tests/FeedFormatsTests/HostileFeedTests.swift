import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Malicious feeds.
///
/// Each takes little time, but the suite as a whole takes long.
@Suite(.timeLimit(.minutes(30))) struct HostileFeedTests {
    private static let nestedCases: [(String, String)] = [
        ("<rss><channel>\(HostileFeed.times(100_000, "<a>"))", "nested more than 200 deep"),
        (HostileFeed.rss("<description>\(HostileFeed.times(100_000, "<a>"))"), "nested more than 200 deep"),
        (
            "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(HostileFeed.times(100_000, "<entry>"))",
            "nested more than 200 deep"
        ),
        (
            #"{"version":"https://jsonfeed.org/version/1","x":\#(HostileFeed.times(100_000, "["))"#,
            "nested more than 512 deep"
        ),
        (#"{"items":[{"x":\#(HostileFeed.times(100_000, #"{"a":"#))"#, "nested more than 512 deep"),
    ]

    @Test("a feed that is nested too deeply is refused", arguments: nestedCases.indices)
    func nesting(index: Int) {
        let (text, reason) = Self.nestedCases[index]
        #expect(HostileFeed.message(Array(text.utf8))?.contains(reason) == true)
    }

    private static let endlessTags: [String] = [
        "<rss \(HostileFeed.numbered(100_000) { "a\($0)='1' " })/>",
        "<rss \(HostileFeed.numbered(100_000) { "xmlns:n\($0)='u' " })/>",
        "<rss><channel><item><enclosure url=\"\(HostileFeed.times(11_000_000, "a"))\"/></item>",
        "<\(HostileFeed.times(11_000_000, "a"))/>",
    ]

    @Test("a feed that would take excessive time is abandoned", arguments: endlessTags.indices)
    func endless(index: Int) {
        let text = Self.endlessTags[index]
        #expect(HostileFeed.message(Array(text.utf8))?.hasPrefix("line 1, column ") == true)
    }

    private static func prefixes(_ name: String) -> String {
        HostileFeed.numbered(900) { "xmlns:\(name)\($0)='u' " }
    }

    private static let nameCases: [(String, String)] = [
        (
            "<rss><channel>\(HostileFeed.numbered(400_000) { "<x\($0):y xmlns:x\($0)='urn:\($0)'/>" })</channel></rss>",
            "more than 10000 names"
        ),
        ("<rss><channel>\(HostileFeed.numbered(400_000) { "<y\($0)/>" })</channel></rss>", "more than 10000 names"),
        (
            "<opml><body>\(HostileFeed.numbered(400_000) { "<outline y\($0)='a'/>" })</body></opml>",
            "more than 10000 names"
        ),
        (
            "<rss \(prefixes("x"))><a \(prefixes("y"))/></rss>",
            "more than 1000 namespaces at once"
        ),
    ]

    @Test("a feed with very many names or namespaces is refused", arguments: nameCases.indices)
    func manyNames(index: Int) throws {
        let (text, reason) = Self.nameCases[index]
        let error = #expect(throws: FeedError.self) {
            let document = FeedSource(bytes: Array(text.utf8), url: HostileFeed.url)
            if text.hasPrefix("<opml") {
                _ = try FeedDecoder().decodeSubscriptions(document)
            } else {
                _ = try FeedDecoder().decode(document)
            }
        }
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
    }

    @Test("only the namespaces in scope count, and many prefixes for one namespace are accepted")
    func namespaces() throws {
        let entries = HostileFeed.numbered(5000) {
            "<entry xmlns:x\($0 % 50)='urn:\($0 % 50)'><x\($0 % 50):y/></entry>"
        }
        #expect(try HostileFeed.decode(Array("<feed>\(entries)</feed>".utf8)).feed.images == [])
    }

    @Test("a namespace of megabytes is treated like any unknown one")
    func longNamespace() throws {
        let uri = HostileFeed.times(1_000_000, "U")
        let items = HostileFeed.times(20_000, "<item><x:y/><enclosure x:url='a' url='b.png'/></item>")
        let text = "<rss xmlns:x='\(uri)'><channel>\(items)</channel></rss>"
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 20_000)
    }

    @Test(
        "a data: image of megabytes is accepted anywhere in an item",
        arguments: ["<description><![CDATA[#]]></description>", "<x y='#'/>", "<!--#-->", "<?x #?>", "<x>#</x>"])
    func large(piece: String) throws {
        let image = "data:image/png;base64," + HostileFeed.times(11_000_000, "A")
        let parts = piece.split(separator: "#")
        let item = "\(parts[0])\(image)\(parts[1])<enclosure url='a.png'/>"
        let decoded = try HostileFeed.decode(Array(HostileFeed.rss(item).utf8))
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("thousands of quotes in one value count as one attribute")
    func quotesInValue() throws {
        let value = HostileFeed.times(30_000, "\" =\"")
        let comment = "<!-- ' \(value) --><?x ' \(value)?><![CDATA[' \(value)]]>"
        let text = HostileFeed.rss(
            "\(comment)<enclosure url='a.png' title='\(value)'/>", after: "<!DOCTYPE rss [<!-- ' -->]>")
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 1)
    }

    @Test(
        "an encoding that is wrong or hides markup is refused",
        arguments: [
            ("UTF-8", [0xE9, 0xFF], "UTF-8"), ("UTF-16", [0xE9, 0xFF], "UTF-8"),
            ("no-such", [0xE9], "the encoding \"no-such\" is not supported"),
            ("UTF-7", [0xE9], "UTF-8"),
            ("IBM037", [0xE9], "the encoding \"IBM037\" is not supported"),
        ] as [(String, [UInt8], String)])
    func encodings(name: String, bytes: [UInt8], reason: String) {
        let head = "<?xml version='1.0' encoding='\(name)'?><rss><channel><title>"
        #expect(
            HostileFeed.message(Array(head.utf8) + bytes + Array("</title></rss>".utf8))?.contains(reason)
                == true)
    }

    @Test("a NUL anywhere in an unfinished feed makes it invalid")
    func nul() throws {
        let text = Array("<rss>\n<channel><item></item></channel></rss>\n".utf8)
        #expect(try HostileFeed.decode(text).feed.images == [])
        for place in [0, 3, 9, 20, 35] {
            #expect(HostileFeed.message(text[..<place] + [0] + text[place...])?.isEmpty == false)
        }
        let cut = Array(text.dropLast("/channel></rss>\n".utf8.count))
        #expect(HostileFeed.message(cut + [0]) == "line 2, column 24: a NUL byte")
        // A NUL in the XML declaration is skipped with the declaration.
        let declared = Array("<?xml version='1.0'".utf8) + [0] + Array("?>".utf8)
        #expect(try HostileFeed.decode(declared + text).feed.images == [])
        #expect(HostileFeed.message(declared + cut + [0])?.hasSuffix("a NUL byte") == true)
    }

    private static let whole = Fixtures.names(in: "feeds", suffix: ".xml").map { "\($0).xml" } + ["microblog.json"]

    /// Returns a selection of positions, because all of them would take minutes.
    private static func places(in body: Range<Int>, of name: String) -> [Int] {
        var generator = SeededGenerator(seed: UInt64(name.utf8.count))
        return Array(body.shuffled(using: &generator).prefix(25))
    }

    /// Returns the offset of the last byte without which the feed is cut off: an RSS feed is whole behind its channel.
    private static func end(of body: [UInt8]) -> Int? {
        // UTF-16 has a zero in each of these characters.
        for width in String(decoding: body, as: UTF8.self).contains("<rdf:RDF") ? [] : [1, 2] {
            let tag = Array("</channel>".utf8)
            let start = body.indices.dropLast(tag.count * width - 1).last { start in
                tag.indices.allSatisfy { body[start + $0 * width] == tag[$0] }
            }
            if let start { return start + (tag.count - 1) * width }
        }
        return body.lastIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "}") }
    }

    @Test("a feed that is cut off at any byte of its content is refused", .serialized, arguments: whole)
    func truncation(name: String) async throws {
        let body = try Fixtures.bytes("feeds/\(name)")
        let end = try #require(Self.end(of: body))
        for length in Self.places(in: 0..<end, of: name) {
            // This gives other tests their turns.
            await Task.yield()
            let error = #expect(throws: FeedError.self) { try HostileFeed.decode(Array(body[..<length])) }
            if error?.kind != .invalidData { Issue.record("cut after \(length) bytes: \(String(describing: error))") }
        }
        #expect(throws: Never.self) { try HostileFeed.decode(body) }
    }

    @Test("a feed with any byte changed is either accepted or refused", .serialized, arguments: whole)
    func corruption(name: String) async throws {
        let body = try Fixtures.bytes("feeds/\(name)")
        var generator = SeededGenerator(seed: 5)
        for position in Self.places(in: body.indices, of: name) {
            await Task.yield()
            var changed = body
            changed[position] = UInt8.random(in: 0...255, using: &generator)
            do throws(FeedError) { _ = try HostileFeed.decode(changed) } catch { #expect(error.kind == .invalidData) }
        }
    }

    @Test(
        "a remote feed cannot name a local file, whatever base it declares",
        arguments: [
            "<rss xml:base=\"file:///etc/\"><channel><item><enclosure url=\"a.png\"/></item></channel></rss>",
            "<rss><channel><link>file:///etc/</link><item><enclosure url=\"a.png\"/></item></channel></rss>",
        ])
    func localBase(text: String) throws {
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("the number of notes on a faulty feed is limited")
    func notes() throws {
        let item = "<item><enclosure url=\"ftp://h/a.png\"/></item>"
        let text = "<rss><channel>\(String(repeating: item, count: 1000))</channel></rss>"
        let notes = try HostileFeed.decode(Array(text.utf8)).notes
        #expect(notes.count == 101)
        #expect(notes.first == "left out an image of item 1: \"ftp://h/a.png\": not an http(s) URL")
        #expect(notes.last == "and 900 more were left out")
    }
}
