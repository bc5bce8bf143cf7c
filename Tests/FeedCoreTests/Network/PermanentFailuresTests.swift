import FeedCore
import Testing

@Suite("Permanent failures")
struct PermanentFailuresTests {
    private static let failedAt = Timestamp(microseconds: 1_774_744_200_000_000)
    private static let hour = Duration.seconds(3600)

    @Test(
        "A failure is permanent if its response is likely to stay the same",
        arguments: [
            (FeedError.invalidData("not found", status: 404), true),
            (.invalidData("gone", status: 410), true),
            (.invalidData("who are you", status: 401), true),
            (.invalidData("forbidden", status: 403), true),
            (.invalidData("for legal reasons", status: 451), true),
            (.invalidData("bad request", status: 400), true),
            (.invalidData("a teapot", status: 418), true),
            (.invalidData("no content", status: 204), true),
            (.invalidData("a redirect to nowhere", status: 302), true),
            (.invalidData("a web page"), true),
            (.invalidData("an empty answer"), true),
            (.invalidData("larger than 64M").dependingOnSettings(), false),
            (.invalidData("a private address").at(.trusting), false),
            (.invalidData("the proxy wants a password", status: 407), false),
            (.connectivity("refused"), false),
            (.connectivity("too slow a client", status: 408), false),
            (.connectivity("too early", status: 425), false),
            (.connectivity("too many", status: 429), false),
            (.connectivity("broken", status: 500), false),
            (.connectivity("not implemented", status: 501), false),
            (.connectivity("unavailable", status: 503), false),
            (.notFound("no such file"), false),
            (.storage(.failed, "disk full"), false),
            (.cancelled, false),
        ])
    func kinds(error: FeedError, isPermanent: Bool) {
        #expect(PermanentFailures.isPermanent(error) == isPermanent)
    }

    @Test("The failure of a local file is not remembered, because reading it again is cheap")
    func files() throws {
        let gone = FeedError.invalidData("no image")
        #expect(PermanentFailures.isRemembered(gone, of: try ResourceURL("http://a.example/1.png")))
        #expect(!PermanentFailures.isRemembered(gone, of: try ResourceURL("file:///images/1.png")))
    }

    @Test(
        "An image is skipped for an hour after a permanent failure, doubling with each in a row up to a week",
        arguments: [
            (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 64), (8, 128), (9, 168), (10, 168), (64, 168),
            (65, 168), (.max, 168),
        ])
    func pauses(count: Int, hours: Int) {
        let pause = Self.hour * hours
        #expect(PermanentFailures.pause(afterFailures: count) == pause)
        func isLeftAlone(after age: Duration) -> Bool {
            PermanentFailures.isLeftAlone(lastFailure: (at: Self.failedAt, count: count), now: Self.failedAt + age)
        }
        #expect(isLeftAlone(after: .zero))
        #expect(isLeftAlone(after: pause - .microseconds(1)))
        #expect(!isLeftAlone(after: pause))
        #expect(!isLeftAlone(after: pause + .seconds(1)))
    }

    @Test(
        "A failure up to an hour ahead of the clock counts, and a later one is ignored",
        arguments: [
            (Duration.microseconds(1), true), (hour, true), (hour + .microseconds(1), false), (hour * 24, false),
            (hour * 24 * 36_525, false),
        ])
    func future(lead: Duration, isLeftAlone: Bool) {
        let failure = (at: Self.failedAt + lead, count: 9)
        #expect(PermanentFailures.isLeftAlone(lastFailure: failure, now: Self.failedAt) == isLeftAlone)
    }

    @Test("A count of failures that is zero or negative skips no image", arguments: [0, -1, .min])
    func noFailure(count: Int) {
        #expect(PermanentFailures.pause(afterFailures: count) == .zero)
        for ahead in [.zero, Self.hour / 2, Self.hour] {
            let failure = (at: Self.failedAt + ahead, count: count)
            #expect(!PermanentFailures.isLeftAlone(lastFailure: failure, now: Self.failedAt))
        }
    }

    @Test("A failure with an extreme timestamp is old or ignored")
    func extremes() {
        let first = Timestamp(microseconds: .min)
        let last = Timestamp(microseconds: .max)
        #expect(!PermanentFailures.isLeftAlone(lastFailure: (at: first, count: 9), now: last))
        #expect(!PermanentFailures.isLeftAlone(lastFailure: (at: last, count: 9), now: first))
    }
}
