import FeedCore
import Testing

@testable import HTTPTransport

@Suite("The stall detector")
struct StallDetectorTests {
    private let timeout = IdleTimeout(.seconds(30))

    private func moment(_ second: Int64) -> Instant { .init(nanoseconds: second * 1_000_000_000) }

    @Test("a response is stalled if less than 1 KiB has arrived since the mark")
    func late() {
        var stallDetector = StallDetector()
        #expect(stallDetector.deadline(timeout) == nil)
        stallDetector.setMark(at: moment(10))
        #expect(stallDetector.deadline(timeout) == moment(40))
        #expect(stallDetector.isSilent)
        stallDetector.add(1, at: moment(20))
        stallDetector.add(1022, at: moment(39))
        #expect(stallDetector.deadline(timeout) == moment(40))
        #expect(!stallDetector.isSilent)
        stallDetector.add(1, at: moment(39))
        #expect(stallDetector.deadline(timeout) == moment(69))
        #expect(stallDetector.isSilent)
    }

    @Test("a pause neither counts as a stall nor extends the deadline")
    func paused() {
        var stallDetector = StallDetector()
        stallDetector.setMark(at: moment(0))
        for pause in 0..<5 as Range<Int64> {
            stallDetector.add(1, at: moment(pause * 100 + pause))
            stallDetector.pause(at: moment(pause * 100 + pause + 1))
            #expect(stallDetector.deadline(timeout) == nil)
            stallDetector.resume(at: moment((pause + 1) * 100 + pause + 1))
        }
        #expect(stallDetector.deadline(timeout) == moment(530))
    }
}

@Suite("A token bucket")
struct TokenBucketTests {
    let second: Int64 = 1_000_000_000

    /// Takes pieces of this size at each interval while there are tokens, and returns the sum of bytes.
    private func taken(from bucket: inout TokenBucket, piece: Int, every step: Int64, for duration: Int64) -> Int {
        var bytes = 0
        for now in stride(from: 0, through: duration, by: Int(step)) {
            bucket.refill(at: now)
            while bucket.hasTokens {
                bucket.take(piece)
                bytes += piece
            }
        }
        return bytes
    }

    @Test(
        "a token bucket keeps its average rate for any piece size and refill interval",
        arguments: [1000, 16 << 10, 100_000, 50 << 20], [500, 16 << 10])
    func average(_ rate: Int, _ piece: Int) {
        for step in [second / 1000, second / 7, second / 20] as [Int64] {
            var bucket = TokenBucket(rate: Int64(rate))
            let burst = max(rate / 4, 16 << 10)
            let bytes = taken(from: &bucket, piece: piece, every: step, for: 3 * second)
            #expect(bytes <= 3 * rate + burst + piece)
            #expect(bytes >= 3 * rate - piece)
        }
    }

    @Test(
        "a token bucket saves at most a quarter of a second or 16 KiB",
        arguments: [(1, 16 << 10), (1 << 20, 256 << 10)])
    func burst(_ rate: Int64, _ capacity: Int) {
        var bucket = TokenBucket(rate: rate)
        for now in [0, 1_000_000 * second, .max / 2, .max] as [Int64] {
            bucket.refill(at: now)
            var bytes = 0
            while bucket.hasTokens {
                bucket.take(1)
                bytes += 1
            }
            #expect(bytes == capacity)
        }
    }

    @Test("a token bucket tells the exact time to wait", arguments: [1, 999, 100_000, 1 << 30] as [Int64])
    func wait(_ rate: Int64) {
        var bucket = TokenBucket(rate: rate)
        bucket.refill(at: 5)
        #expect(bucket.nanosecondsToWait == 0)
        while bucket.hasTokens { bucket.take(20_000) }
        let wait = bucket.nanosecondsToWait

        var early = bucket
        early.refill(at: 5 + wait - 2)
        #expect(!early.hasTokens)
        bucket.refill(at: 5 + wait)
        #expect(bucket.hasTokens)
    }
}

@Suite("The check of an address")
struct AddressCheckTests {
    @Test("a public address is accepted, and an address of an unknown kind is refused")
    func decision() throws {
        let url = try ResourceURL("http://a/")
        #expect(AddressCheck.refusal(of: NetworkAddress(bytes: [93, 184, 216, 34]), at: url) == nil)
        #expect(AddressCheck.refusal(of: nil, at: url)?.stage == .trusting)
    }

    @Test("an address cache tells whether an address belongs to the own network, even if it changes")
    func memory() {
        var memory = AddressCache()
        #expect(!memory.facts(about: "").isPublic)
        #expect(memory.facts(about: "93.184.216.34").isPublic)
        #expect(!memory.facts(about: "198.18.0.1").isPublic)
        #expect(!memory.facts(about: "").isOfOwnNetwork)
        for _ in 0..<2 {
            #expect(!memory.facts(about: "93.184.216.34").isOfOwnNetwork)
            #expect(memory.facts(about: "10.0.0.1").isOfOwnNetwork)
            #expect(!memory.facts(about: "nonsense").isOfOwnNetwork)
            #expect(!memory.facts(about: "198.18.0.1").isOfOwnNetwork)
            #expect(memory.facts(about: "fd00::1").isOfOwnNetwork)
        }
    }
}
