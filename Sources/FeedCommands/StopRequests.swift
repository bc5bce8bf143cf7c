/// What the signals that ask a run to stop mean, by when they come. `timeout` signals the program and then its whole
/// group, and a terminal that is closed sends HUP, which the shell repeats: what comes within a moment of the first is
/// the same request. A person who asks again, however impatient, takes longer than that.
package struct StopRequests: Sendable {
    package enum Meaning: Sendable { case stop, sameRequest, endAtOnce }

    package static let moment = Duration.milliseconds(250)

    private var first: ContinuousClock.Instant?

    package init() {}

    package mutating func meaning(ofSignalAt now: ContinuousClock.Instant) -> Meaning {
        guard let first else {
            first = now
            return .stop
        }
        return now - first < Self.moment ? .sameRequest : .endAtOnce
    }
}
