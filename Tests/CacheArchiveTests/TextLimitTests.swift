import CacheArchive
import FeedCore
import JSONText
import TestDoubles
import TestSupport
import Testing

@Suite("Texts in an archive")
struct TextLimitTests {
    private static func text(_ length: Int) -> JSONValue { .string(String(repeating: "x", count: length)) }

    private func refusal(_ format: Feed.Format, _ change: @escaping @Sendable (inout JSONValue) -> Void) async throws
        -> String?
    {
        var layout = LayoutBuilder()
        layout.changeDocument = { document in
            document.set("format", .string(format.rawValue))
            change(&document)
        }
        return try await ArchiveFixture().refusal(of: layout.tar())
    }

    private func refusal(_ format: Feed.Format, _ member: String, _ length: Int) async throws -> String? {
        try await refusal(format) { document in
            document.change("images") { $0.changeElement(1) { $0.set(member, Self.text(length)) } }
        }
    }

    @Test("a text in an archive that is longer than a sync keeps is refused", arguments: [Feed.Format.rss, .essential])
    func tooLong(format: Feed.Format) async throws {
        for length in [8192, 8193] {
            let reason = try await refusal(format) { $0.set("title", Self.text(length)) }
            #expect(reason?.contains("title: longer than 8192 bytes") == (length == 8192 ? nil : true))
        }
        for (member, limit) in [("etag", 300 << 10), ("last_modified", 300 << 10), ("id", 16_384)] {
            #expect(try await refusal(format, member, limit) == nil)
            let reason = try await refusal(format, member, limit + 1)
            #expect(reason?.contains("images[1].\(member): longer than \(limit) bytes") == true, "\(reason ?? "taken")")
        }
    }

    @Test("a text in an archive may be as long as a sync keeps it", arguments: ["description", "location", "title"])
    func described(member: String) async throws {
        #expect(try await refusal(.essential, member, 100_000) == nil)
        for format in [Feed.Format.rss, .atom, .jsonFeed] {
            #expect(try await refusal(format, member, 8192) == nil)
            let reason = try await refusal(format, member, 8193)
            #expect(reason?.contains("images[1].\(member): longer than 8192 bytes") == true, "\(reason ?? "taken")")
        }
    }

    @Test("a validator in an archive that is too long is ignored")
    func validators() async throws {
        let fixture = ArchiveFixture()
        var layout = LayoutBuilder()
        layout.changeDocument = { document in
            document.change("images") { images in
                images.changeElement(0) { $0.set("etag", Self.text(1024)) }
                images.changeElement(1) {
                    $0.set("etag", Self.text(1025))
                    $0.set("last_modified", "then")
                }
            }
        }
        try await fixture.takeIn(layout.tar())
        let kept = try await fixture.images.find([.image(0), .image(1)]).map { $0?.validators }
        #expect(kept.map { $0?.etag?.utf8.count } == [1024, nil])
        #expect(kept[1]?.lastModified == "then")
    }

    @Test("an id in an archive is imported without the password in it")
    func passwords() async throws {
        let fixture = ArchiveFixture()
        var layout = LayoutBuilder()
        layout.changeDocument = { document in
            document.change("images") { $0.changeElement(1) { $0.set("id", "https:u:p@h.example/") } }
        }
        try await fixture.takeIn(layout.tar())
        let saved = try await fixture.feeds.retrieve(.known(layout.url))
        #expect(saved?.feed.images.map(\.id) == ["0", "https:h.example/"])
    }
}
