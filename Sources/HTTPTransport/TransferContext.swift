import FeedCore
import Glibc

/// What the transfers of one loop share.
final class TransferContext {
    let deliveries: DeliveryQueue
    var addresses = AddressMemory()
    /// Set by a transfer that has paused itself for want of room.
    var hasPaused = false
    /// Transfers that have paused themselves for the rate, ever: the next one's turn.
    private var turns = 0
    /// Whether some of them still wait.
    var hasThrottled = false
    private var budget: TokenBucket?
    /// Before this, no body that is of no interest has come for too long; nil where there are none.
    private(set) var nextEndOfPatience: Instant?
    /// As of the loop's last turn, on the clock that libcurl's own timers use.
    private(set) var now = Instant.read()

    init(deliveries: DeliveryQueue, rateLimit: Int64?) {
        budget = rateLimit.map(TokenBucket.init(rate:))
        self.deliveries = deliveries
    }

    func awaitEndOfPatience(_ end: Instant) { nextEndOfPatience = min(nextEndOfPatience ?? end, end) }

    /// Whether it has come. From then on the next is awaited.
    func takeEndOfPatience() -> Bool {
        guard let end = nextEndOfPatience, end <= now else { return false }
        nextEndOfPatience = nil
        return true
    }

    func tick() {
        now = Instant.read()
        budget?.refill(at: now.nanoseconds)
    }

    var limitsRate: Bool { budget != nil }

    /// For bytes of a body that have come. A number if they are too early: the turn to wait for.
    func spend(_ bytes: Int) -> Int? {
        guard budget != nil else { return nil }
        guard mayReceive else {
            hasThrottled = true
            turns += 1
            return turns
        }
        budget?.take(bytes)
        return nil
    }

    var mayReceive: Bool { budget?.hasTokens ?? true }

    /// When throttled transfers can go on; nil if there are none.
    var nextTurn: Instant? { hasThrottled ? budget.map { now + $0.nanosecondsToWait } : nil }

    /// Rounded up: woken a moment early, a timer would find nothing to do.
    func milliseconds(until instant: Instant) -> Int64 {
        let nanoseconds = instant.nanoseconds - now.nanoseconds
        return nanoseconds <= 0 ? 0 : (nanoseconds + 999_999) / 1_000_000
    }

    struct Instant: Comparable {
        let nanoseconds: Int64

        fileprivate static func read() -> Instant {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }

        static func < (earlier: Instant, later: Instant) -> Bool { earlier.nanoseconds < later.nanoseconds }

        static func + (instant: Instant, nanoseconds: Int64) -> Instant {
            Instant(nanoseconds: instant.nanoseconds + nanoseconds)
        }

        func nanoseconds(since earlier: Instant) -> Int64 { nanoseconds - earlier.nanoseconds }
    }
}

/// How long a transfer may take for the little that `Arrivals` asks for. libcurl's own counts in whole seconds, and what it
/// is made to wait for too.
struct IdleTimeout {
    private let duration: Duration
    let nanoseconds: Int64

    init(_ duration: Duration) {
        self.duration = duration
        nanoseconds = Int64(duration.timeoutMilliseconds) * 1_000_000
    }

    func error(host: String?, isSilent: Bool) -> FeedError {
        let words = isSilent ? "no data arrived for" : "less than 1 KiB arrived in"
        return .connectivity("\(words) \(duration.inWords)", host: host)
    }
}
