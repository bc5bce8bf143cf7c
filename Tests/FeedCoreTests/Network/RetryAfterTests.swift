import FeedCore
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    /// 6 November 1994, 08:49:37 UTC, the moment of RFC 9110's own examples.
    static let example = Timestamp(microseconds: 784_111_777_000_000)

    @Test(
        "in seconds is so many of them, however many digits they have",
        arguments: [
            ("0", Duration.zero), ("1", .seconds(1)), ("120", .seconds(120)), ("0120", .seconds(120)),
            ("2147483648", RetryAfter.longest), ("2147483647", .seconds(2_147_483_647)),
            ("2147483649", RetryAfter.longest), ("9223372036854775808", RetryAfter.longest),
            (String(repeating: "9", count: 5000), RetryAfter.longest),
            (" 5", .seconds(5)), ("5 \t", .seconds(5)), ("\t 5 ", .seconds(5)),
        ])
    func seconds(header: String, pause: Duration) {
        #expect(RetryAfter.parse(header, now: Self.example) == pause)
    }

    @Test(
        "as a date is the time until then",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func dates(header: String) {
        for ahead: Duration in [.seconds(90), .microseconds(1), .zero] {
            #expect(RetryAfter.parse(header, now: Self.example + (.zero - ahead)) == ahead)
        }
        #expect(RetryAfter.parse(" \(header)\t", now: Self.example + .seconds(-1)) == .seconds(1))
        #expect(RetryAfter.parse(header, now: Self.example + .seconds(1)) == .zero)
        #expect(RetryAfter.parse(header, now: Self.example + .seconds(86_400 * 365)) == .zero)
    }

    @Test("of a date far ahead is cut down to what can be reckoned with")
    func farAhead() {
        let now = Self.example
        #expect(RetryAfter.parse("Fri, 31 Dec 9999 23:59:59 GMT", now: now) == RetryAfter.longest)
        #expect(now + RetryAfter.longest > now)
        #expect(RetryAfter.parse("Sat, 01 Jan 0000 00:00:00 GMT", now: now) == .zero)
    }

    @Test(
        "that is neither is as good as none",
        arguments: [
            "", " ", "-1", "+1", "1.5", "1s", "1 2", "120, 120", "0x10", "１２", "٣", "soon", "1e3", "1\r\n", "1\0",
            "Sun, 06 Nov 1994", "GMT", "Sun, 06 Nov 1994 08:49:37 GMT, 120", "5\u{301}",
        ])
    func rubbish(header: String) {
        #expect(RetryAfter.parse(header, now: Self.example) == nil)
    }
}
