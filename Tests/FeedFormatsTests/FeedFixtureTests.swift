import FeedCore
import FeedFormats
import JSONText
import TestDoubles
import TestSupport
import Testing

/// The feeds in `fixtures/feeds`, which real programs write, and the expected result beside each of them.
@Suite struct FeedFixtureTests {
    private static let expected = ".expected"

    @Test(
        "each feed fixture decodes to its expected images",
        arguments: [".xml", ".json"].flatMap { suffix in
            Fixtures.names(in: "feeds", suffix: suffix).filter { !$0.hasSuffix(expected) }.map { ($0, suffix) }
        })
    func becomesWhatIsExpected(name: String, suffix: String) throws {
        let expected = try JSONValue.parse(Fixtures.bytes("feeds/\(name)\(Self.expected).json"))
        let url = try ResourceURL(try #require(expected["url"]?.string))
        let document = FeedSource(
            bytes: try Fixtures.bytes("feeds/\(name)\(suffix)"), url: url, contentType: expected["content_type"]?.string
        )
        let found = Self.json(try FeedDecoder().decode(document), expected)
        #expect(found == expected, "\(name): found \(found.text())")
    }

    @Test("each expectation belongs to a feed fixture")
    func pairs() {
        let json = Fixtures.names(in: "feeds", suffix: ".json")
        let feeds = json.filter { !$0.hasSuffix(Self.expected) } + Fixtures.names(in: "feeds", suffix: ".xml")
        #expect(feeds.count >= 16)
        #expect(Set(json.filter { $0.hasSuffix(Self.expected) }) == Set(feeds.map { $0 + Self.expected }))
    }

    private static func json(_ decoded: DecodedFeed, _ expected: JSONValue) -> JSONValue {
        var members: [(String, JSONValue)] = [("url", expected["url"] ?? .null)]
        if let type = expected["content_type"] { members.append(("content_type", type)) }
        members += [
            ("format", .string(decoded.feed.format.rawValue)), ("title", JSONValue(decoded.feed.title)),
            ("next", JSONValue(decoded.nextPage?.text)), ("images", .array(decoded.feed.images.map(json))),
        ]
        // Fixtures that expect notes expect exactly these notes.
        if expected["notes"] != nil { members.append(("notes", .array(decoded.notes.map { .string($0) }))) }
        return .object(members)
    }

    private static func json(_ image: FeedImage) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string(image.id)), ("description", JSONValue(image.description)),
            ("location", JSONValue(image.location)), ("url", .string(image.url.text)),
        ]
        if let title = image.title { members.append(("title", .string(title))) }
        if let link = image.link { members.append(("link", .string(link.text))) }
        if let published = image.published { members.append(("published", .string(published.rfc3339))) }
        let others = image.alternatives.map { JSONValue.string($0.text) }
        if !others.isEmpty { members.append(("alternatives", .array(others))) }
        return .object(members)
    }
}
