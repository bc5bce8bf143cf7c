import FeedCore
import FeedFormats
import TestSupport
import Testing

/// Feeds made to break whoever reads them. None takes long; the suite would.
@Suite(.timeLimit(.minutes(30))) struct HostileFeedTests {
    private static let url = ResourceURL.known("https://feeds.example/feed")

    private func decode(_ bytes: [UInt8], contentType: String? = nil) throws(FeedError) -> DecodedFeed {
        try FeedDecoder().decode(FeedSource(bytes: bytes, url: Self.url, contentType: contentType))
    }

    private func message(_ bytes: [UInt8]) -> String? {
        let error = #expect(throws: FeedError.self) { try decode(bytes) }
        #expect(error?.kind == .invalidData)
        return error?.message
    }

    private static func rss(_ item: String, after declaration: String = "") -> String {
        "<?xml version=\"1.0\"?>\(declaration)<rss version=\"2.0\"><channel><item>\(item)</item></channel></rss>"
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private static func numbered(_ count: Int, _ text: (Int) -> String) -> String {
        var all = ""
        for number in 0..<count { all += text(number) }
        return all
    }

    private static let laughs: String = {
        let levels = (1...9).map { level in
            "<!ENTITY lol\(level) \"\(String(repeating: "&lol\(level - 1);", count: 10))\">"
        }
        return "<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">\(levels.joined())]>"
    }()

    private static func external(_ declaration: String) -> String { "<!DOCTYPE rss [<!ENTITY \(declaration)>]>" }

    /// Each uses an entity of this name, declared before it.
    private static let entityCases: [(declaration: String, name: String)] = [
        (laughs, "lol9"), (external("x SYSTEM \"file:///etc/passwd\""), "x"),
        (external("x SYSTEM \"http://127.0.0.1:9/\""), "x"), ("<!DOCTYPE rss SYSTEM \"file:///etc/hostname\">", "x"),
        (external("a \"\(times(100_000, "a"))\""), "a"),
    ]

    @Test("entities of a document's own are not expanded", arguments: entityCases.indices)
    func entities(index: Int) {
        let (declaration, name) = Self.entityCases[index]
        let title = "<title>\(Self.times(10_000, "&\(name);"))</title>"
        let enclosure = "<enclosure url=\"&\(name);\" type=\"image/png\"/>"
        for item in [title, enclosure] {
            let text = Self.rss(item, after: declaration)
            #expect(message(Array(text.utf8))?.hasSuffix("Entity '\(name)' not defined") == true)
        }
    }

    private static let parameterLaughs: String = {
        let levels = (1...9).map { level in
            "<!ENTITY % lol\(level) '\(String(repeating: "&#37;lol\(level - 1);", count: 10))'>"
        }
        return "<!ENTITY % lol0 '<!ENTITY x \"lol\">'>\(levels.joined())\(times(10_000, "%lol9;"))"
    }()

    private static let parameterCases: [String] = [
        "<!ENTITY % HTMLlat1 PUBLIC '-//W3C//ENTITIES Latin 1//EN' 'http://127.0.0.1:9/'> %HTMLlat1;",
        "<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;%p; %p;", parameterLaughs, "<!ENTITY % p '&#37;p;'>%p;",
        "<!ENTITY % p '<!ATTLIST title x CDATA \"1\">'>%p;", "<!ENTITY % p ']><rss>'>\(times(100_000, "%p;"))",
    ]

    @Test("declarations that lie elsewhere, or that others hold, are passed over", arguments: parameterCases.indices)
    func parameterEntities(index: Int) throws {
        for start in ["<!DOCTYPE rss [", "<!DOCTYPE rss SYSTEM 'file:///etc/hostname' ["] {
            let declaration = "\(start)\(Self.parameterCases[index])<!ENTITY y 'z'>]>"
            let text = Self.rss("<title>a&nbsp;b</title><enclosure url='a.png'/>", after: declaration)
            #expect(try decode(Array(text.utf8)).feed.images.map(\.description) == ["a b"])
            for item in ["<title>&x;</title>", "<enclosure url='&x;'/>"] {
                let text = Self.rss(item, after: declaration)
                #expect(message(Array(text.utf8))?.hasSuffix("Entity 'x' not defined") == true)
            }
        }
    }

    @Test("nothing of another file is read", arguments: ["SYSTEM", "PUBLIC 'p'"])
    func otherFiles(kind: String) throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("<!ATTLIST enclosure url CDATA 'b.png'>", to: "a.dtd")
        for declaration in [
            "<!DOCTYPE rss \(kind) '\(file)'>", "<!DOCTYPE rss [<!ENTITY % p \(kind) 'file://\(file)'>%p;]>",
            "<!DOCTYPE rss \(kind) '\(file)' [<!ENTITY % p \(kind) '\(file)'>%p;]>",
        ] {
            let text = Self.rss("<enclosure type='image/png'/>", after: declaration)
            #expect(try decode(Array(text.utf8)).feed.images == [])
        }
    }

    @Test("an entity that is declared and not used is no harm, and HTML's own are known")
    func harmlessEntities() throws {
        let text = Self.rss("<title>a&nbsp;&hellip;</title><enclosure url='a.png'/>", after: Self.laughs)
        #expect(try decode(Array(text.utf8)).feed.images.map(\.description) == ["a …"])
    }

    private static let nestedCases: [(String, String)] = [
        ("<rss><channel>\(times(100_000, "<a>"))", "nested more than 200 deep"),
        (rss("<description>\(times(100_000, "<a>"))"), "nested more than 200 deep"),
        ("<feed xmlns=\"http://www.w3.org/2005/Atom\">\(times(100_000, "<entry>"))", "nested more than 200 deep"),
        (#"{"version":"https://jsonfeed.org/version/1","x":\#(times(100_000, "["))"#, "nested more than 512 deep"),
        (#"{"items":[{"x":\#(times(100_000, #"{"a":"#))"#, "nested more than 512 deep"),
    ]

    @Test("what is nested without end is refused", arguments: nestedCases.indices)
    func nesting(index: Int) {
        let (text, reason) = Self.nestedCases[index]
        #expect(message(Array(text.utf8))?.contains(reason) == true)
    }

    private static let endlessTags: [String] = [
        "<rss \(numbered(100_000) { "a\($0)='1' " })/>", "<rss \(numbered(100_000) { "xmlns:n\($0)='u' " })/>",
        "<rss><channel><item><enclosure url=\"\(times(11_000_000, "a"))\"/></item>", "<\(times(1_000_000, "a"))/>",
    ]

    @Test("what takes without end to read is not read to its end", arguments: endlessTags.indices)
    func endless(index: Int) {
        let text = Self.endlessTags[index]
        #expect(message(Array(text.utf8))?.hasPrefix("line 1, column ") == true)
    }

    private static let nameCases: [(String, String)] = [
        (
            "<rss><channel>\(numbered(400_000) { "<x\($0):y xmlns:x\($0)='urn:\($0)'/>" })</channel></rss>",
            "more than 10000 names"
        ),
        ("<rss><channel>\(numbered(400_000) { "<y\($0)/>" })</channel></rss>", "more than 10000 names"),
        ("<opml><body>\(numbered(400_000) { "<outline y\($0)='a'/>" })</body></opml>", "more than 10000 names"),
        (
            "<rss \(numbered(900) { "xmlns:x\($0)='u' " })><a \(numbered(900) { "xmlns:y\($0)='u' " })/></rss>",
            "more than 1000 namespaces at once"
        ),
    ]

    @Test("libxml2 looks long for a name among very many, and for a namespace", arguments: nameCases.indices)
    func manyNames(index: Int) throws {
        let (text, reason) = Self.nameCases[index]
        let error = #expect(throws: FeedError.self) {
            let document = FeedSource(bytes: Array(text.utf8), url: Self.url)
            if text.hasPrefix("<opml") {
                _ = try FeedDecoder().decodeSubscriptions(document)
            } else {
                _ = try FeedDecoder().decode(document)
            }
        }
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
    }

    @Test("namespaces that were left don't count, and many prefixes for one are no harm")
    func namespaces() throws {
        let entries = Self.numbered(5000) { "<entry xmlns:x\($0 % 50)='urn:\($0 % 50)'><x\($0 % 50):y/></entry>" }
        #expect(try decode(Array("<feed>\(entries)</feed>".utf8)).feed.images == [])
    }

    @Test("a namespace of megabytes is no other than any that is unknown")
    func longNamespace() throws {
        let uri = Self.times(1_000_000, "U")
        let items = Self.times(20_000, "<item><x:y/><enclosure x:url='a' url='b.png'/></item>")
        let text = "<rss xmlns:x='\(uri)'><channel>\(items)</channel></rss>"
        #expect(try decode(Array(text.utf8)).feed.images.count == 20_000)
    }

    private static let slowPieces: [String] = [
        times(500_000, "<b>") + times(500_000, "</i>"), times(300_000, "<p><b>"), times(1_000_000, "<"),
        times(500_000, "<!--"), times(500_000, "<script>"), "<img \(numbered(100_000) { "a\($0)=1 " }) src=b.png>",
        "<img \(numbered(100_000) { "a\($0)='>'/" }) src=b.png>", "<a \(numbered(100_000) { "b\($0)\n" })",
        "<p title=\"\(times(500_000, "&amp"))\">", numbered(300_000) { "<x\($0)></x\($0)>" },
    ]

    @Test("HTML made to be slow is left at the place, with what came before it", arguments: slowPieces.indices)
    func slowHTML(index: Int) throws {
        let html = Self.slowPieces[index]
        let text = Self.rss("<description><![CDATA[<img src=a.png>\(html)]]></description>")
        #expect(try decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("a figure of many pictures and captions is gone through once")
    func captions() throws {
        let pictures = Self.numbered(30_000) { "<img src=\($0)><figcaption></figcaption>" }
        let html = "<figure>\(pictures)<figcaption>F</figcaption></figure>"
        let images = try decode(Array(Self.rss("<description><![CDATA[\(html)]]></description>").utf8)).feed.images
        #expect(images.count == 30_000)
        #expect(images.allSatisfy { $0.description == "F" })
    }

    @Test("one piece with very many names is no harm to the next")
    func namesInPieces() throws {
        let names = Self.numbered(20_000) { "<x\($0)></x\($0)>" }
        let items = Self.numbered(5) { "<item><description><![CDATA[<img src=\($0)>\(names)]]></description></item>" }
        #expect(try decode(Array("<rss><channel>\(items)</channel></rss>".utf8)).feed.images.count == 5)
    }

    private static let largePieces: [String] = [
        "<script>\(times(10_000, "if (a <b && c) d e f g h = '1' "))</script>",
        "<img alt='\(times(10_000, "a = b "))' src='data:image/png;base64,AAAA'>",
    ]

    @Test("a large script, and a picture within the page, are nothing special", arguments: largePieces.indices)
    func largeHTML(index: Int) throws {
        let html = Self.largePieces[index]
        let text = Self.rss("<description><![CDATA[\(html)<img src=a.png>]]></description>")
        #expect(try decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("a long post with thousands of quotes is no tag with thousands of attributes")
    func quotes() throws {
        let post = String(repeating: "<a href=\"x\" class='y'>\"z\"</a> ", count: 20_000)
        for markup in ["<![CDATA[<img src=a.png>\(post)]]>", "<img src='a.png'/>\(post)<!-- \(post) -->"] {
            let text = Self.rss("<description>\(markup)</description>")
            #expect(try decode(Array(text.utf8)).feed.images.count == 1)
        }
    }

    @Test("a tag with thousands of quotes in one value has one attribute")
    func quotesInValue() throws {
        let value = Self.times(30_000, "\" =\"")
        let comment = "<!-- ' \(value) --><?x ' \(value)?><![CDATA[' \(value)]]>"
        let text = Self.rss("\(comment)<enclosure url='a.png' title='\(value)'/>", after: "<!DOCTYPE rss [<!-- ' -->]>")
        #expect(try decode(Array(text.utf8)).feed.images.count == 1)
    }

    @Test("attributes that a document's own declarations give to a tag are too many, too")
    func declaredAttributes() {
        let lists = Self.numbered(20_000) { "<!ATTLIST rss a\($0) CDATA '1'>" }
        let text = Self.rss("", after: "<!DOCTYPE rss [\(lists)]>")
        #expect(message(Array(text.utf8))?.contains("more than 10000 attributes") == true)
    }

    @Test(
        "an encoding that is not what was declared, or that hides markup, is refused",
        arguments: [
            ("UTF-8", [0xE9, 0xFF], "UTF-8"), ("UTF-16", [0xE9, 0xFF], "UTF-8"),
            ("no-such", [0x20], "the encoding \"no-such\" is not supported"),
            ("UTF-7", [0x20], "the encoding \"UTF-7\" is not supported"),
            ("IBM037", [0x20], "the encoding \"IBM037\" is not supported"),
        ] as [(String, [UInt8], String)])
    func encodings(name: String, bytes: [UInt8], reason: String) {
        let head = "<?xml version='1.0' encoding='\(name)'?><rss><channel><title>"
        #expect(message(Array(head.utf8) + bytes + Array("</title></channel></rss>".utf8))?.contains(reason) == true)
    }

    @Test("a NUL is no end, wherever it stands")
    func nul() throws {
        let text = Array("<rss>\n<channel><item></item></channel></rss>\n".utf8)
        #expect(try decode(text).feed.images == [])
        for place in [0, 3, 9, 20, text.count - 2, text.count] {
            #expect(message(text[..<place] + [0] + text[place...])?.isEmpty == false)
        }
        #expect(message(text + [0]) == "line 3, column 1: a NUL byte")
    }

    private static let whole = Fixtures.names(in: "feeds", suffix: ".xml").map { "\($0).xml" } + ["microblog.json"]

    @Test("a feed cut off at any byte is refused", .serialized, arguments: whole)
    func truncation(name: String) async throws {
        let body = try Fixtures.bytes("feeds/\(name)")
        let end = try #require(body.lastIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "}") })
        for length in 0..<end {
            // For the other tests to have their turns.
            await Task.yield()
            let error = #expect(throws: FeedError.self) { try decode(Array(body[..<length])) }
            if error?.kind != .invalidData { Issue.record("cut after \(length) bytes: \(String(describing: error))") }
        }
        #expect(throws: Never.self) { try decode(body) }
    }

    @Test("a feed with any byte changed is either a feed or refused", .serialized, arguments: whole)
    func corruption(name: String) async throws {
        let body = try Fixtures.bytes("feeds/\(name)")
        var generator = SeededGenerator(seed: 5)
        for position in body.indices {
            await Task.yield()
            var changed = body
            changed[position] = UInt8.random(in: 0...255, using: &generator)
            do throws(FeedError) { _ = try decode(changed) } catch { #expect(error.kind == .invalidData) }
        }
    }

    @Test(
        "no feed from the network can name a local file, whatever base it declares",
        arguments: [
            "<rss xml:base=\"file:///etc/\"><channel><item><enclosure url=\"a.png\"/></item></channel></rss>",
            "<rss><channel><link>file:///etc/</link><item><enclosure url=\"a.png\"/></item></channel></rss>",
        ])
    func localBase(text: String) throws {
        #expect(try decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("complaints of a feed that is wrong throughout don't fill the memory")
    func notes() throws {
        let item = "<item><enclosure url=\"ftp://h/a.png\"/></item>"
        let text = "<rss><channel>\(String(repeating: item, count: 1000))</channel></rss>"
        let notes = try decode(Array(text.utf8)).notes
        #expect(notes.count == 101)
        #expect(notes.first == "left out an image of item 1: \"ftp://h/a.png\": not an http(s) URL")
        #expect(notes.last == "and 900 more were left out")
    }
}
