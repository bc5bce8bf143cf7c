import FeedCore
import Glibc

/// Detects a response that has stalled.
///
/// A mark records the last progress; a server that sends less than 1 KiB within the idle timeout counts as hanging.
///
/// | event                                                              | the mark           |
/// |--------------------------------------------------------------------|--------------------|
/// | the connection is made, the response begins, or its head ends      | is set to now      |
/// | 1 KiB of head or body has arrived since the mark                   | is set to now      |
/// | less than that has arrived                                         | stays              |
/// | trailers, chunk extensions or frames without content arrive        | stays              |
/// | the transfer is paused                                             | moves with time    |
struct StallDetector {
    private static let least = 1 << 10

    /// The moment of the last progress; nil before the connection, during which libcurl's own timeout applies.
    private(set) var mark: Instant?
    /// The number of bytes since the mark.
    private var bytes = 0
    private var pausedAt: Instant?

    var hasMark: Bool { mark != nil }

    mutating func setMark(at now: Instant) { (mark, bytes) = (now, 0) }

    mutating func add(_ count: Int, at now: Instant) {
        bytes += count
        if bytes >= Self.least { setMark(at: now) }
    }

    mutating func pause(at now: Instant) { pausedAt = now }

    mutating func resume(at now: Instant) {
        if let pausedAt { mark = mark.map { $0 + now.nanoseconds(since: pausedAt) } }
        pausedAt = nil
    }

    /// Returns when the response counts as stalled; nil before the connection and during a pause.
    func deadline(_ timeout: IdleTimeout) -> Instant? { pausedAt == nil ? mark.map { $0 + timeout.nanoseconds } : nil }

    /// Whether no data at all has arrived since the mark.
    var isSilent: Bool { bytes == 0 }
}

/// A moment on the monotonic clock that libcurl's timers use, too.
struct Instant: Comparable {
    let nanoseconds: Int64

    static func read() -> Instant {
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

/// The time in which `StallDetector` expects progress.
///
/// libcurl's own timeout counts in whole seconds, and includes pauses.
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
