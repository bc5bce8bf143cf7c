import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("HTTP date")
struct HTTPDateTests {
    /// 29 March 2026, 00:30 UTC.
    static let now = Timestamp(microseconds: 1_774_744_200_000_000)

    private func parse(_ text: String, now: Timestamp = now) -> String? {
        HTTPDate.parse(text, now: now)?.rfc3339
    }

    @Test(
        "is read in each of its three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37"),
            ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37"),
            ("Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37"),
            ("Sun Nov 06 08:49:37 1994", "1994-11-06T08:49:37"),
            ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
            ("Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59"),
            ("Sun, 29 Mar 2026 00:30:00 GMT", "2026-03-29T00:30:00"),
            ("Thu, 29 Feb 2024 12:00:00 GMT", "2024-02-29T12:00:00"),
            ("Tue, 29 Feb 2000 12:00:00 GMT", "2000-02-29T12:00:00"),
            ("Tuesday, 29-Feb-00 12:00:00 GMT", "2000-02-29T12:00:00"),
            ("Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59"),
            ("Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00"),
            // The wrong day of the week.
            ("Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37"),
        ])
    func forms(text: String, moment: String) {
        #expect(parse(text) == moment + ".000000Z")
    }

    @Test("has twelve months, by name")
    func months() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for (index, name) in names.enumerated() {
            let number = index < 9 ? "0\(index + 1)" : "\(index + 1)"
            #expect(parse("Mon, 28 \(name) 2022 00:00:00 GMT") == "2022-\(number)-28T00:00:00.000000Z")
        }
    }

    @Test(
        "of two digits for the year is at most 50 years ahead, else in the past",
        arguments: [
            ("Sunday, 29-Mar-76 00:30:00 GMT", "2076-03-29T00:30:00"),
            ("Sunday, 29-Mar-76 00:30:01 GMT", "1976-03-29T00:30:01"),
            ("Sunday, 30-Mar-76 00:00:00 GMT", "1976-03-30T00:00:00"),
            ("Sunday, 31-Dec-75 23:59:59 GMT", "2075-12-31T23:59:59"),
            ("Sunday, 01-Jan-77 00:00:00 GMT", "1977-01-01T00:00:00"),
            ("Sunday, 01-Jan-99 00:00:00 GMT", "1999-01-01T00:00:00"),
            ("Sunday, 01-Jan-00 00:00:00 GMT", "2000-01-01T00:00:00"),
            ("Sunday, 29-Mar-26 00:30:00 GMT", "2026-03-29T00:30:00"),
        ])
    func shortYears(text: String, moment: String) {
        #expect(parse(text) == moment + ".000000Z")
    }

    @Test("of two digits for the year may lie in the next century, when that is near")
    func centuries() throws {
        let late = try #require(HTTPDate.parse("Thu, 31 Dec 2099 23:59:59 GMT", now: Self.now))
        #expect(parse("Friday, 01-Jan-00 00:00:00 GMT", now: late) == "2100-01-01T00:00:00.000000Z")
        #expect(parse("Friday, 01-Jan-49 00:00:00 GMT", now: late) == "2149-01-01T00:00:00.000000Z")
        #expect(parse("Friday, 01-Jan-50 00:00:00 GMT", now: late) == "2050-01-01T00:00:00.000000Z")
        // 2100 has no leap day.
        #expect(parse("Friday, 29-Feb-00 00:00:00 GMT", now: late) == nil)
    }

    @Test("is nothing when the clock is beyond all reckoning")
    func brokenClock() {
        let ancient = Timestamp(microseconds: .min)
        #expect(parse("Sunday, 06-Nov-94 08:49:37 GMT", now: ancient) == nil)
        #expect(parse("Sunday, 06-Nov-94 08:49:37 GMT", now: Timestamp(microseconds: .max)) != nil)
        #expect(parse("Sun, 06 Nov 1994 08:49:37 GMT", now: ancient) == "1994-11-06T08:49:37.000000Z")
    }

    @Test("agrees with the way timestamps are written, in whatever form", arguments: 0..<10)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for _ in 0..<200 {
            // From the year 1 to 9999.
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            let moment = Timestamp(microseconds: seconds * 1_000_000)
            let parts = moment.rfc3339.split { "-T.".contains($0) }.map(String.init)
            let month = names[try #require(Int(parts[1])) - 1]
            #expect(HTTPDate.parse("Mon, \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT", now: Self.now) == moment)
            #expect(HTTPDate.parse("Mon \(month) \(parts[2]) \(parts[3]) \(parts[0])", now: Self.now) == moment)
            let short = "Monday, \(parts[2])-\(month)-\(parts[0].suffix(2)) \(parts[3]) GMT"
            #expect(HTTPDate.parse(short, now: moment) == moment)
        }
    }

    @Test(
        "in any other form is none",
        arguments: [
            "", " ", "     ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 gmt", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT",
            "Sun, 32 Jan 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Sun, 06 Nov 1994 08:49:37 GMT x",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 UTC", "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94-1 08:49:37 GMT",
            "Sunday, 31-Nov-94 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:99 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov   6 08:49:37 1994",
            "Sun Nov  6 08:49:37 94", "Sun, Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
            "Sun Nov  0 08:49:37 1994", "Sun Nov 31 08:49:37 1994", "1994-11-06T08:49:37Z",
        ])
    func rubbish(text: String) {
        #expect(parse(text) == nil)
    }
}
