/// What waiting depends on, to be replaced in tests.
package struct TimeSource: Sendable {
    /// A clock that never jumps.
    package var uptime: @Sendable () -> Timestamp
    /// In `0..<1`.
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

    /// Its moments begin with `now`: from there on they are those of the clock on the wall, if that doesn't jump.
    package static func real(from now: Timestamp) -> TimeSource {
        let start = ContinuousClock.now
        return TimeSource(
            uptime: { now + (ContinuousClock.now - start) },
            random: { Double.random(in: 0..<1) }, sleep: { try await Task.sleep(for: $0) })
    }
}
