import FeedCore
import TestSupport
import Testing

@testable import FeedCommands

@Suite("Text tables")
struct TextTableTests {
    private func table(_ rows: [String]...) -> TextTable {
        var table = TextTable(header: ["FEED", "N"], numbers: [1])
        table.rows = rows
        return table
    }

    @Test("each column is as wide as it needs to be, and numbers are aligned on the right") func widths() {
        #expect(
            table(["a", "1"], ["a long title", "100"]).lines(width: nil) == [
                "FEED            N", "a               1", "a long title  100",
            ])
    }

    @Test("the first column is shortened to the width of the terminal, and nothing is shortened without one")
    func shortened() {
        let title = String(repeating: "word ", count: 8) + "end"
        let lines = table([title, "1"]).lines(width: 20)
        #expect(lines[1] == "word word word w…  1")
        #expect(lines.allSatisfy { $0.columns <= 20 })
        #expect(table([title, "1"]).lines(width: nil)[1] == "\(title)  1")
        #expect(table([title, "1"]).lines(width: 80)[1] == "\(title)  1")
        #expect(table([title, "1"]).lines(width: 5)[1] == "word word w…  1")
    }

    @Test("a wide character takes two columns, and an accent none") func wide() {
        #expect("東京".columns == 4)
        #expect("e\u{301}a".columns == 2)
        #expect("東京東京".shortened(toColumns: 6) == "東京…")
        #expect(table(["東", "1"], ["abcd", "2"]).lines(width: nil) == ["FEED  N", "東    1", "abcd  2"])
    }

    @Test("control characters are escaped before the columns are measured") func escaped() {
        #expect(table(["a\tb", "1"]).lines(width: nil) == ["FEED     N", "a\\u{9}b  1"])
    }
}

@Suite("What status prints")
struct StatusReportTests {
    private static let saved = Timestamp(microseconds: 1_000_000_000_000)

    private func report() throws -> StatusReport {
        let head = FeedHead(
            url: try ResourceURL("https://a.example/feed"), title: "Boats", format: .rss, savedAt: Self.saved,
            keep: .forever)
        let other = FeedHead(
            url: try ResourceURL("https://b.example/feed"), title: nil, format: .atom, savedAt: Self.saved)
        let trouble = FeedTrouble(kind: .connectivity, message: "no connection", at: Self.saved)
        var failing = ImageInventory.OfFeed(cached: 0)
        failing.add(failedAt: Self.saved, count: 1)
        return StatusReport(
            cache: "/cache",
            feeds: [
                FeedSummary(head, images: 6, kept: 2),
                FeedSummary(other, images: 1, movedTo: try ResourceURL("https://c.example/"), trouble: trouble),
            ],
            images: ImageInventory(
                totals: ImageTotals(count: 5, bytes: 2048), perFeed: [.init(cached: 5, bytes: 2048), failing]),
            waits: [FeedWait(feed: other.url, until: Self.saved + .seconds(7200))],
            now: Self.saved + .seconds(3600), settings: Settings())
    }

    @Test("the overview is a table, and lines for what has no column") func overview() throws {
        #expect(
            try report().overview(width: nil) == """
                /cache: 2 feeds, 5 images, 2K
                FEED                    STATE                           IMAGES  KEPT  SIZE  SAVED
                Boats                   fresh                           5 of 6     2    2K  1 hour ago
                https://b.example/feed  fresh, moved, waiting, failing  0 of 1     0     0  1 hour ago
                https://b.example/feed: has moved permanently to https://c.example/
                https://b.example/feed: waiting until 1970-01-12T15:46:40.000000Z, as its server asked
                https://b.example/feed: 1 image failed (next try with the next sync)
                https://b.example/feed: last error 1 hour ago: no connection

                """)
    }

    @Test("the details of a feed are the members of its JSON, with what a person reads more easily") func details()
        throws
    {
        let parts = try report().details.split(separator: "\n\n")
        #expect(
            parts[0] == """
                url: https://a.example/feed
                title: Boats
                format: rss
                saved_at: 1970-01-12T13:46:40.000000Z (1 hour ago)
                age_seconds: 3600
                fresh: yes
                images: 6
                images_cached: 5
                images_failed: 0
                kept: 2
                bytes: 2048 (2K)
                keep: forever
                """)
        #expect(parts[1].hasPrefix("url: https://b.example/feed\nformat: atom\n"))
        #expect(
            parts[1].hasSuffix(
                """
                moved_to: https://c.example/
                last_error: connectivity, no connection, 1970-01-12T13:46:40.000000Z
                waiting_until: 1970-01-12T15:46:40.000000Z

                """))
    }
}
