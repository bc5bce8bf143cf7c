/// Limits a rate on average and permits short bursts.
///
/// A token is a byte; tokens return at the rate, up to the capacity.
///
/// A taker may exceed the available tokens, because pieces have a given size. The debt is repaid before the next piece.
struct TokenBucket {
    private static let leastCapacity: Int64 = 16 << 10
    private static let nanosecondsInSecond: Int64 = 1_000_000_000

    private let rate: Int64
    private let capacity: Int64
    private var tokens: Int64
    /// The moment up to which tokens have been returned.
    private var counted: Int64?

    /// Creates a full bucket.
    ///
    /// `rate` is in bytes per second.
    init(rate: Int64) {
        self.rate = min(max(rate, 1), 1 << 32)
        capacity = max(self.rate / 4, Self.leastCapacity)
        tokens = capacity
    }

    var hasTokens: Bool { tokens > 0 }

    mutating func take(_ bytes: Int) { tokens -= Int64(bytes) }

    /// Returns tokens for the time since the last refill.
    ///
    /// `now` must not decrease.
    mutating func refill(at now: Int64) {
        guard let counted else {
            self.counted = now
            return
        }
        let (whole, isTooLong) = (now - counted).multipliedReportingOverflow(by: rate)
        let due = isTooLong ? capacity - tokens : whole / Self.nanosecondsInSecond
        if isTooLong || tokens + due >= capacity {
            tokens = capacity
            self.counted = now
        } else if due > 0 {
            tokens += due
            // Setting `now` instead would lose a fraction of a token each time.
            self.counted = counted + (due * Self.nanosecondsInSecond + rate - 1) / rate
        }
    }

    /// The time from the last refill until tokens are available; 0 if they are.
    var nanosecondsToWait: Int64 {
        guard tokens <= 0 else { return 0 }
        let missing = 1 - tokens
        return (missing * Self.nanosecondsInSecond + rate - 1) / rate
    }

    /// The amount to read at once.
    ///
    /// It is small, so that several transfers share the rate evenly.
    var pieceBytes: Int { Int(min(max(rate / 8, 1 << 10), 16 << 10)) }
}
