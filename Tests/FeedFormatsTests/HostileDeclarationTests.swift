import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Declarations of a document that expand endlessly or read other files.
@Suite struct HostileDeclarationTests {
    private static let laughs: String = {
        let levels = (1...9).map { level in
            "<!ENTITY lol\(level) \"\(String(repeating: "&lol\(level - 1);", count: 10))\">"
        }
        return "<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">\(levels.joined())]>"
    }()

    private static func external(_ declaration: String) -> String { "<!DOCTYPE rss [<!ENTITY \(declaration)>]>" }

    /// The declarations of entities, and a name that each of them declares.
    private static let entityCases: [(declaration: String, name: String)] = [
        (laughs, "lol9"), (external("x SYSTEM \"file:///etc/passwd\""), "x"),
        (external("x SYSTEM \"http://127.0.0.1:9/\""), "x"),
        (external("a \"\(HostileFeed.times(100_000, "a"))\""), "a"),
    ]

    @Test("entities that a document declares stay text", arguments: entityCases.indices)
    func entities(index: Int) throws {
        let (declaration, name) = Self.entityCases[index]
        let title = "<title>&\(name);</title>"
        let enclosure = "<enclosure url=\"&\(name);\" type=\"image/png\"/>"
        let decoded = try HostileFeed.decode(Array(HostileFeed.rss(title + enclosure, after: declaration).utf8))
        #expect(decoded.feed.images.map(\.description) == ["&\(name);"])
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/&\(name);"])
        #expect(decoded.notes.first?.contains("an entity that is not defined") == true)
    }

    private static let parameterLaughs: String = {
        let levels = (1...9).map { level in
            "<!ENTITY % lol\(level) '\(String(repeating: "&#37;lol\(level - 1);", count: 10))'>"
        }
        return "<!ENTITY % lol0 '<!ENTITY x \"lol\">'>\(levels.joined())\(HostileFeed.times(10_000, "%lol9;"))"
    }()

    private static let parameterCases: [String] = [
        "<!ENTITY % HTMLlat1 PUBLIC '-//W3C//ENTITIES Latin 1//EN' 'http://127.0.0.1:9/'> %HTMLlat1;",
        "<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;%p; %p;", parameterLaughs, "<!ENTITY % p '&#37;p;'>%p;",
        "<!ENTITY % p '<!ATTLIST title x CDATA \"1\">'>%p;",
        "<!ENTITY % p ']><rss>'>\(HostileFeed.times(100_000, "%p;"))",
    ]

    @Test("external and parameter entity declarations are skipped", arguments: parameterCases.indices)
    func parameterEntities(index: Int) throws {
        for start in ["<!DOCTYPE rss [", "<!DOCTYPE rss SYSTEM 'file:///etc/hostname' ["] {
            let declaration = "\(start)\(Self.parameterCases[index])<!ENTITY y 'z'>]>"
            let text = HostileFeed.rss("<title>a&nbsp;b</title><enclosure url='a.png'/>", after: declaration)
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.map(\.description) == ["a b"])
            let named = HostileFeed.rss("<title>&y;</title><enclosure url='a.png'/>", after: declaration)
            #expect(try HostileFeed.decode(Array(named.utf8)).feed.images.map(\.description) == ["&y;"])
        }
    }

    @Test("an entity never reads another file", arguments: ["SYSTEM", "PUBLIC 'p'"])
    func otherFiles(kind: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("<!ATTLIST enclosure url CDATA 'b.png'>", to: "a.dtd")
        for declaration in [
            "<!DOCTYPE rss \(kind) '\(file)'>", "<!DOCTYPE rss [<!ENTITY % p \(kind) 'file://\(file)'>%p;]>",
            "<!DOCTYPE rss \(kind) '\(file)' [<!ENTITY % p \(kind) '\(file)'>%p;]>",
        ] {
            let text = HostileFeed.rss("<enclosure type='image/png'/>", after: declaration)
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images == [])
        }
    }

    @Test("an unused entity declaration is harmless, and HTML's entities are known")
    func harmlessEntities() throws {
        let text = HostileFeed.rss("<title>a&nbsp;&hellip;</title><enclosure url='a.png'/>", after: Self.laughs)
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.map(\.description) == ["a …"])
    }

    @Test(
        "an undeclared entity is text, even after declarations",
        arguments: ["<!DOCTYPE rss SYSTEM 'file:///etc/hostname'>", "<!DOCTYPE rss [<!ENTITY y 'z'>]>", laughs])
    func undeclaredEntity(declaration: String) throws {
        let item = "<title>&x; &nbsp;&#8230;</title><enclosure url='a.png?&x;'/>"
        let decoded = try HostileFeed.decode(Array(HostileFeed.rss(item, after: declaration).utf8))
        #expect(decoded.feed.images.map(\.description) == ["&x; …"])
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/a.png?&x;"])
        #expect(decoded.notes.count == 1)
    }

    /// The document types, some of which would occupy libxml2 for hours.
    private static let longDeclarations = [
        "<!ATTLIST e a (a\(HostileFeed.numbered(200_000) { "|a\($0)" })) 'a'>",
        "<!ELEMENT e (a\(HostileFeed.numbered(200_000) { "|a\($0)" }))>",
        "<!ELEMENT e \(HostileFeed.times(200_000, "("))a\(HostileFeed.times(200_000, ")"))>",
        HostileFeed.numbered(100_000) { "<!ATTLIST rss a\($0) CDATA '1'>" },
        HostileFeed.numbered(100_000) { "<!ENTITY e\($0) '1'>" }, HostileFeed.times(200_000, "<!ENTITY % p 'x'>%p;"),
    ]

    @Test("a document type of any length is skipped", arguments: longDeclarations.indices)
    func longDeclaration(index: Int) throws {
        for item in ["<enclosure url='a.png'/>", "&<enclosure url='a.png'/>"] {
            let text = HostileFeed.rss(item, after: "<!DOCTYPE rss [\(Self.longDeclarations[index])]>")
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 1)
        }
    }
}
