import FeedCore

/// What the transfers of one loop share.
final class TransferContext {
    let deliveries: DeliveryQueue
    let floodGuard: FloodGuard
    /// `floodGuard` has cut a connection during libcurl's last call.
    var hasCutFlood = false
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

    init(deliveries: DeliveryQueue, rateLimit: Int64?, floodGuard: FloodGuard) {
        budget = rateLimit.map(TokenBucket.init(rate:))
        self.deliveries = deliveries
        self.floodGuard = floodGuard
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
}
