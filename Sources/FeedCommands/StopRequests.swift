/// The meaning of the signals that ask a run to stop, by the moments at which they come. `timeout` signals the program and
/// then its whole group, and a terminal that is closed sends HUP, which the shell repeats, and perhaps TERM: what programs
/// send within a moment of the first is the same request. A person who asks again, however impatient, takes longer than that.
package struct StopRequests: Sendable {
    package enum Meaning: Sendable { case stop, sameRequest, endAtOnce }

    package static let moment = Duration.milliseconds(250)

    private var first: (isInterrupt: Bool, at: ContinuousClock.Instant)?

    package init() {}

    /// INT is what a person sends.
    package mutating func meaning(ofInterrupt isInterrupt: Bool, at now: ContinuousClock.Instant) -> Meaning {
        guard let first else {
            first = (isInterrupt, now)
            return .stop
        }
        return first.isInterrupt == isInterrupt && now - first.at < Self.moment ? .sameRequest : .endAtOnce
    }
}
