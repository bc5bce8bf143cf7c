import FeedCore
import Testing

@Suite("Feed cache policy")
struct FeedCachePolicyTests {
    /// 29 March 2026, 00:30 UTC: half an hour before clocks in Central Europe skip an hour.
    static let savedAt = Timestamp(microseconds: 1_774_744_200_000_000)
    static let week = Duration.seconds(7 * 86_400)

    @Test(
        "a feed is fresh until it is exactly as old as it may be",
        arguments: [
            (Duration.zero, true),
            (week - .seconds(1), true),
            (week - .microseconds(1), true),
            (week, false),
            (week + .seconds(1), false),
            (.seconds(-1), true),
            (.seconds(-3600), true),
            (.seconds(-3600) - .microseconds(1), false),
            (.seconds(-7 * 86_400), false),
        ])
    func sevenDays(age: Duration, isFresh: Bool) {
        let now = Self.savedAt + age
        #expect(FeedCachePolicy.isFresh(savedAt: Self.savedAt, now: now, maxAge: .standard) == isFresh)
    }

    @Test("seven days are 7 × 24 hours, also where a day of them had 23")
    func daylightSaving() {
        let sameWallClockInBerlin = Self.savedAt + .seconds(7 * 86_400 - 3600)
        #expect(FeedCachePolicy.isFresh(savedAt: Self.savedAt, now: sameWallClockInBerlin, maxAge: .standard))
        let hourLater = sameWallClockInBerlin + .seconds(3600)
        #expect(!FeedCachePolicy.isFresh(savedAt: Self.savedAt, now: hourLater, maxAge: .standard))
    }

    @Test("a feed without a maximum age stays fresh, even if a clock was wrong")
    func forever() {
        let centuryLater = Self.savedAt + .seconds(36_525 * 86_400)
        #expect(FeedCachePolicy.isFresh(savedAt: Self.savedAt, now: centuryLater, maxAge: .forever))
        #expect(FeedCachePolicy.isFresh(savedAt: centuryLater, now: Self.savedAt, maxAge: .forever))
    }

    @Test("a maximum age of zero makes a feed stale at once")
    func zero() {
        #expect(!FeedCachePolicy.isFresh(savedAt: Self.savedAt, now: Self.savedAt, maxAge: .span(.zero)))
    }
}
