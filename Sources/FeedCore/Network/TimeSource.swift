/// The clock, the random numbers and the sleep that waiting depends on. Tests replace them.
package struct TimeSource: Sendable {
    /// Reads a monotonic clock.
    package var uptime: @Sendable () -> Timestamp
    /// Returns a random number in `0..<1`.
    package var random: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        uptime: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.uptime = uptime
        self.random = random
        self.sleep = sleep
    }

    package static var real: TimeSource { real(from: Timestamp(microseconds: 0)) }

    /// Returns the system's time source. Its clock begins at `now` and agrees with the wall clock until that jumps.
    package static func real(from now: Timestamp) -> TimeSource {
        let start = ContinuousClock.now
        return TimeSource(
            uptime: { now + (ContinuousClock.now - start) },
            random: { Double.random(in: 0..<1) }, sleep: { try await Task.sleep(for: $0) })
    }
}
