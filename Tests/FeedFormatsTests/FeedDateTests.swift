import FeedCore
import FeedFormats
import TestDoubles
import Testing

/// Dates in the notations of feeds.
@Suite struct FeedDateTests {
    private func published(_ date: String) throws -> Timestamp? {
        let text = """
            <rss><channel><item><guid>1</guid><pubDate>\(date)</pubDate>
            <enclosure url="https://b.example/1.jpg" type="image/jpeg"/></item></channel></rss>
            """
        let images = try FeedDecoder().decode(Array(text.utf8), from: .known("https://b.example/")).images
        return try #require(images.first).published
    }

    @Test(
        "a date is read in every usual notation",
        arguments: [
            ("Fri, 20 Nov 2026 08:15:30 GMT", "2026-11-20T08:15:30"),
            ("20 Nov 2026 08:15:30 +0000", "2026-11-20T08:15:30"),
            ("Fri, 20 Nov 2026 08:15 GMT", "2026-11-20T08:15:00"),
            ("Fri, 20 Nov 26 08:15:30 UT", "2026-11-20T08:15:30"),
            ("Friday, 20-Nov-26 08:15:30 GMT", "2026-11-20T08:15:30"),
            ("Fri, 20 November 2026 08:15:30 Z", "2026-11-20T08:15:30"),
            ("Fri, 20 Nov 2026 08:15:30 EST", "2026-11-20T13:15:30"),
            ("Fri, 20 Nov 2026 08:15:30 PDT", "2026-11-20T15:15:30"),
            ("Fri, 20 Nov 2026 08:15:30 +0530", "2026-11-20T02:45:30"),
            ("Fri, 20 Nov 2026 08:15:30 -0800", "2026-11-20T16:15:30"),
            ("Fri,20 Nov 2026  08:15:30 +01:00", "2026-11-20T07:15:30"),
            ("Sun, 01 Jan 2026 00:00:00 +0100", "2025-12-31T23:00:00"),
            ("Fri, 20 Nov 2026", "2026-11-20T00:00:00"), ("Nov 20, 2026 8:15 PM", "2026-11-20T20:15:00"),
            ("Nov 20, 2026 12:15 PM", "2026-11-20T12:15:00"), ("Nov 20, 2026 12:15 AM", "2026-11-20T00:15:00"),
            ("Fri Nov 20 08:15:30 2026", "2026-11-20T08:15:30"), ("Wed, 31 Dec 97 23:59:60 GMT", "1997-12-31T23:59:59"),
            ("2026-11-20T08:15:30Z", "2026-11-20T08:15:30"),
            ("2026-11-20T08:15:30.5+01:00", "2026-11-20T07:15:30.500000"),
            ("2026-11-20T08:15:30.1234567Z", "2026-11-20T08:15:30.123456"),
            ("2026-11-20t08:15z", "2026-11-20T08:15:00"),
            ("2026-11-20 08:15:30", "2026-11-20T08:15:30"), ("2026-11-20 08:15:30 +0100", "2026-11-20T07:15:30"),
            ("2026-11-20T08:15:30+0100", "2026-11-20T07:15:30"), ("2026-11-20T08:15:30-08", "2026-11-20T16:15:30"),
            ("2026-11-20", "2026-11-20T00:00:00"), ("2026-11", "2026-11-01T00:00:00"), ("2026", "2026-01-01T00:00:00"),
            (" \n2026-11-20T08:15:30Z\n ", "2026-11-20T08:15:30"), ("29 Feb 2024 00:00 GMT", "2024-02-29T00:00:00"),
            ("2020/1/10 14:33:00", "2020-01-10T14:33:00"), ("22.11.2022 12:16:00", "2022-11-22T12:16:00"),
            ("Di, 3. März 2026 08:15", "2026-03-03T08:15:00"), ("mar., 3 mars 2026", "2026-03-03T00:00:00"),
            ("mardi 16 juin 2026", "2026-06-16T00:00:00"), ("jeu., 16 juil. 2026", "2026-07-16T00:00:00"),
            ("10 août 2026", "2026-08-10T00:00:00"), ("10 de setembro de 2026", "2026-09-10T00:00:00"),
            ("ven 2 ott 2026", "2026-10-02T00:00:00"), ("sáb, 5 dic 2026", "2026-12-05T00:00:00"),
            ("martes, 20 de enero de 2026", "2026-01-20T00:00:00"),
            ("1 Mar 1970 00:00 GMT", "1970-03-01T00:00:00"), ("31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59"),
        ])
    func reads(text: String, expected: String) throws {
        let whole = expected.contains(".") ? "\(expected)Z" : "\(expected).000000Z"
        #expect(try published(text)?.rfc3339 == whole)
    }

    @Test(
        "a date without an existing day is ignored",
        arguments: [
            "", " ", "yesterday", "12:00", "31 Feb 2026 00:00 GMT", "2026-02-30", "2026-13-01", "0 Jan 2026",
            "Nov 2026",
            "20 Nov", "1600-01-01", "-1-1-1", "99999-01-01", "1763626530",
        ])
    func refuses(text: String) throws {
        #expect(try published(text) == nil)
    }
}
