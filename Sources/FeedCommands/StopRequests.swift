/// Decides what a signal means by the time at which it comes.
///
/// `timeout` signals the program and then its whole process group. A closed terminal sends HUP, which the shell
/// repeats, and perhaps TERM. Signals that programs send within a moment of the first are the same request. A second
/// request of a person comes later than that.
package struct StopRequests: Sendable {
    package enum Meaning: Sendable { case stop, sameRequest, endAtOnce }

    package static let moment = Duration.milliseconds(250)

    private var first: (isInterrupt: Bool, at: ContinuousClock.Instant)?

    package init() {}

    /// Returns the meaning of a signal.
    ///
    /// INT comes from a person.
    package mutating func meaning(ofInterrupt isInterrupt: Bool, at now: ContinuousClock.Instant) -> Meaning {
        guard let first else {
            first = (isInterrupt, now)
            return .stop
        }
        return first.isInterrupt == isInterrupt && now - first.at < Self.moment ? .sameRequest : .endAtOnce
    }
}
