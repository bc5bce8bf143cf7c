import FeedCore
import Testing

@Suite struct TimestampTests {
    @Test(
        "a moment is written in UTC with microseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (1_000_000, "1970-01-01T00:00:01.000000Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_799_999_999, "2000-02-29T23:59:59.999999Z"), (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
            (1_774_749_599_000_001, "2026-03-29T01:59:59.000001Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (4_107_456_000_000_000, "2100-02-28T00:00:00.000000Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func rfc3339(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test("a timestamp from a hostile database is written like any other", arguments: [Int64.min, .max])
    func extremes(microseconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).rfc3339.hasSuffix("Z"))
        #expect(Timestamp(microseconds: .max) - Timestamp(microseconds: .min) > .zero)
    }

    @Test("every day of four hundred years follows the one before it")
    func everyDay() {
        var previous = "1969-12-31"
        for day in 0..<Int64(146_097) {
            let date = String(Timestamp(microseconds: day * 86_400_000_000).rfc3339.prefix(10))
            if date <= previous { Issue.record("\(date) after \(previous)") }
            previous = date
        }
        #expect(previous == "2369-12-31")
    }

    @Test("moments are compared, and a span leads from one to the other, to the microsecond")
    func arithmetic() {
        let earlier = Timestamp(microseconds: -5)
        let later = Timestamp(microseconds: 3_000_001)
        #expect(earlier < later)
        #expect(later - earlier == .microseconds(3_000_006))
        #expect(earlier - later == .microseconds(-3_000_006))
        #expect(earlier + (later - earlier) == later)
        #expect(later + (earlier - later) == earlier)
        #expect(earlier + .nanoseconds(1999) == Timestamp(microseconds: -4))
        #expect(later + .seconds(Int64.max) == Timestamp(microseconds: .max))
        #expect(earlier + .seconds(Int64.min) == Timestamp(microseconds: .min))
    }

    @Test(
        "a timestamp that was written is read back unchanged",
        arguments: [
            0, -1, 1_772_000_000_123_456, 951_782_400_000_000, -62_167_219_200_000_000, 253_402_300_799_999_999,
        ])
    func readsWhatItWrites(microseconds: Int64) {
        let moment = Timestamp(microseconds: microseconds)
        #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
    }

    @Test(
        "no other text is read",
        arguments: [
            "", "2026-02-29T00:00:00.000000Z", "2026-00-10T00:00:00.000000Z", "2026-13-10T00:00:00.000000Z",
            "2026-01-00T00:00:00.000000Z", "2026-01-10T24:00:00.000000Z", "2026-01-10T00:60:00.000000Z",
            "2026-01-10T00:00:60.000000Z", "2026-01-10T00:00:00Z", "2026-01-10T00:00:00.000000+00:00",
            "2026-01-10t00:00:00.000000z", "+026-01-10T00:00:00.000000Z", "12026-01-10T00:00:00.00000Z",
        ])
    func readsNothingElse(text: String) { #expect(Timestamp(rfc3339: text) == nil) }
}
