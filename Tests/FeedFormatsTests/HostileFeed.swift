import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Builds and decodes the feeds of the suites about hostile feeds.
enum HostileFeed {
    static let url = ResourceURL.known("https://feeds.example/feed")

    static func decode(_ bytes: [UInt8]) throws(FeedError) -> DecodedFeed {
        try FeedDecoder().decode(FeedSource(bytes: bytes, url: url))
    }

    /// Returns the message of the refusal, or nil.
    static func message(_ bytes: [UInt8]) -> String? {
        let error = #expect(throws: FeedError.self) { try decode(bytes) }
        #expect(error?.kind == .invalidData)
        return error?.message
    }

    static func rss(_ item: String, after declaration: String = "") -> String {
        "<?xml version=\"1.0\"?>\(declaration)<rss version=\"2.0\"><channel><item>\(item)</item></channel></rss>"
    }

    static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    static func numbered(_ count: Int, _ text: (Int) -> String) -> String {
        var all = ""
        for number in 0..<count { all += text(number) }
        return all
    }
}
