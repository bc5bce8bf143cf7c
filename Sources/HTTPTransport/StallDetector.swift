import FeedCore
import Glibc

/// What has come of an answer lately, from a mark on: a server that drips is a server that hangs.
///
/// | what happens                                                  | the mark                                 |
/// |---------------------------------------------------------------|------------------------------------------|
/// | there is a connection, the answer begins, or its head is done | is set anew                              |
/// | 1 KiB has come since the mark                                 | is set anew                              |
/// | less than that, be it of the head or of the body              | stays                                    |
/// | trailers, chunk extensions or frames without content come     | stays                                    |
/// | nothing is read, as this side has to wait                     | goes along: that time counts for nothing |
struct StallDetector {
    private static let least = 1 << 10

    /// Nil before there is a connection: until then libcurl watches the time.
    private(set) var mark: Instant?
    /// Since the mark.
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

    /// When it has taken too long; nil while it can't have.
    func deadline(_ timeout: IdleTimeout) -> Instant? { pausedAt == nil ? mark.map { $0 + timeout.nanoseconds } : nil }

    /// That nothing has come since the mark, else that too little has.
    var isSilent: Bool { bytes == 0 }
}

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
