import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Cancellation of decoding, which takes seconds for a large feed.
@Suite struct InterruptionTests {
    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private static let essentialItem =
        #"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://h/a.png"},"#

    private static let figures = times(1000, "<figure><iframe></iframe></figure>")

    /// The feeds.
    ///
    /// All of them are malformed at their end, so that a complete read would report an error.
    private static let feeds: [String: String] = [
        "essential": #"{"items":[\#(times(10, essentialItem))"#,
        "JSON Feed": #"{"version":"https://jsonfeed.org/version/1","items":[\#(times(10, "{},"))"#,
        "JSON Feed with one item":
            #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"\#(times(1000, "<img src=a>"))"}"#,
        "JSON Feed with figures":
            #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<img>\#(figures)"}"#,
        "JSON Feed with figures, one event later":
            #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<img><b>\#(figures)"}"#,
        "RSS": "<rss><channel>\(times(10, "<item></item>"))<link>/</link><item></item>",
        "RSS with one item": "<rss><channel><item>\(times(1000, "<a/>"))",
        "Atom": "<feed>\(times(10, "<entry></entry>"))", "Atom with one entry": "<feed><entry>\(times(1000, "<a/>"))",
    ]

    private func error(_ decode: @escaping @Sendable () throws(FeedError) -> Void) async -> FeedError? {
        await Task {
            // The task cancels itself, so that the moment is certain.
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(FeedError) { try decode() } catch { return error }
            return nil
        }.value
    }

    @Test("decoding a feed stops when its task is cancelled", arguments: feeds.keys.sorted())
    func feed(name: String) async throws {
        let document = FeedSource(bytes: Array(try #require(Self.feeds[name]).utf8), url: .first)
        let error = await error { () throws(FeedError) in _ = try FeedDecoder().decode(document) }
        #expect(error?.kind == .cancelled)
    }

    @Test("decoding a subscription list stops when its task is cancelled", arguments: ["", "text/xml; charset=utf-8"])
    func list(contentType: String) async {
        let text = "<opml><body>\(Self.times(1000, "<outline/>"))"
        let document = FeedSource(bytes: Array(text.utf8), url: .first, contentType: contentType)
        let error = await error { () throws(FeedError) in _ = try FeedDecoder().decodeSubscriptions(document) }
        #expect(error?.kind == .cancelled)
    }

    @Test("a completely decoded feed is dropped if its task is cancelled")
    func whole() async {
        let document = FeedSource(bytes: Array("<rss><channel/></rss>".utf8), url: .first)
        let error = await error { () throws(FeedError) in _ = try FeedDecoder().decode(document) }
        #expect(error?.kind == .cancelled)
    }
}
