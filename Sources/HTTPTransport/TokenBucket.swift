/// A rate held on average, with bursts: a token is a byte, so many come back each second, and a few are saved up.
///
/// Whoever finds any may take more than there are: pieces come in the size they come in. The debt is paid before the
/// next.
struct TokenBucket {
    private static let leastCapacity: Int64 = 16 << 10
    private static let nanosecondsInSecond: Int64 = 1_000_000_000

    private let rate: Int64
    private let capacity: Int64
    private var tokens: Int64
    /// What has come back up to here is counted.
    private var counted: Int64?

    /// `rate` is in bytes a second; the bucket begins full.
    init(rate: Int64) {
        self.rate = min(max(rate, 1), 1 << 32)
        capacity = max(self.rate / 4, Self.leastCapacity)
        tokens = capacity
    }

    var hasTokens: Bool { tokens > 0 }

    mutating func take(_ bytes: Int) { tokens -= Int64(bytes) }

    /// `now` never goes back.
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
            // Not `now`: what is left of a token would be lost each time.
            self.counted = counted + (due * Self.nanosecondsInSecond + rate - 1) / rate
        }
    }

    /// From the last refill until there are some; 0 if there are.
    var nanosecondsToWait: Int64 {
        guard tokens <= 0 else { return 0 }
        let missing = 1 - tokens
        return (missing * Self.nanosecondsInSecond + rate - 1) / rate
    }

    /// How much is best read at once: little, so that several transfers share evenly.
    var pieceBytes: Int { Int(min(max(rate / 8, 1 << 10), 16 << 10)) }
}
