import FeedCore
import FeedFormats
import Glibc

/// Decodes a feed of so many items from memory, and prints a line: format, bytes, seconds (the best of three), images,
/// and the process's greatest use of memory in KB, the feed's own bytes included.
@main
struct FeedDecodingBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]), let body = body(arguments[1], count) else {
            print("Usage: feed-decoding-bench essential|jsonfeed|rss|atom ITEMS")
            exit(64)
        }
        let document = FeedSource(bytes: body, url: try ResourceURL("https://feeds.example/feed"))
        var best = Duration.seconds(3600)
        var images = 0
        for _ in 0..<3 {
            let start = ContinuousClock.now
            images = try FeedDecoder().decode(document).feed.images.count
            best = min(best, ContinuousClock.now - start)
        }
        let (seconds, attoseconds) = best.components
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print(
            arguments[1], body.count, Double(seconds) + Double(attoseconds) / 1e18, images, usage.ru_maxrss)
    }

    private static func body(_ format: String, _ count: Int) -> [UInt8]? {
        guard let (head, item, tail) = parts(format) else { return nil }
        var body = Array(head.utf8)
        // An array that grows by doubling would also count the memory that it does not use.
        body.reserveCapacity(count * (item(0).utf8.count + 16))
        for number in 0..<count {
            if number > 0, format == "essential" || format == "jsonfeed" { body.append(UInt8(ascii: ",")) }
            body += item(number).utf8
        }
        body += tail.utf8
        return body
    }

    private static func parts(_ format: String) -> (head: String, item: (Int) -> String, tail: String)? {
        switch format {
        case "essential":
            ("{\"items\":[", { essential($0) }, "]}")
        case "jsonfeed":
            ("{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"T\",\"items\":[", { jsonFeed($0) }, "]}")
        case "rss":
            (
                """
                <?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" \
                xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>\
                <link>https://feeds.example/</link>
                """, { rss($0) }, "</channel></rss>"
            )
        case "atom":
            (
                "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>T</title><id>urn:t</id>",
                { atom($0) }, "</feed>"
            )
        default: nil
        }
    }

    private static func essential(_ number: Int) -> String {
        """
        {"id":"\(uuid(number))","description":"Description number \(number)","location":"Somewhere, \(number)",\
        "image":"https://images.example/images/\(number).jpg"}
        """
    }

    private static func jsonFeed(_ number: Int) -> String {
        """
        {"id":"https://feeds.example/\(number)","title":"Title \(number)","date_published":"2026-11-14T07:12:00Z",\
        "content_html":"<p>Some words on image \(number).</p><p><img src=\\"/images/\(number).jpg\\" alt=\\"One\\"></p>",\
        "image":"https://images.example/main/\(number).jpg"}
        """
    }

    private static func rss(_ number: Int) -> String {
        """
        <item><title>Title &amp; more \(number)</title><link>https://feeds.example/\(number)</link>\
        <guid isPermaLink="false">https://feeds.example/?p=\(number)</guid>\
        <pubDate>Sat, 14 Nov 2026 07:12:00 +0000</pubDate>\
        <media:content url="https://images.example/main/\(number).jpg" type="image/jpeg" width="1024" height="683"/>\
        <content:encoded><![CDATA[<p>Some words on image \(number).</p><p><img src="/images/\(number).jpg" \
        alt="One"></p>]]></content:encoded></item>

        """
    }

    private static func atom(_ number: Int) -> String {
        """
        <entry><id>urn:feeds:\(number)</id><title>Title &amp; more \(number)</title>\
        <updated>2026-11-14T07:12:00Z</updated>\
        <link rel="enclosure" type="image/jpeg" href="https://images.example/main/\(number).jpg"/>\
        <content type="html">&lt;p&gt;Some words on \(number).&lt;/p&gt;&lt;img src="/images/\(number).jpg"&gt;</content>\
        </entry>

        """
    }

    private static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
