import FeedCore
import Glibc

/// A moment on the clock that libcurl's own timers use.
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

/// How long a transfer may take for the little that `StallDetector` asks for. libcurl's own counts in whole seconds, and what it
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
