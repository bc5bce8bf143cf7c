import FeedCommands
import Testing

@Suite("Signals that ask a run to stop")
struct StopRequestsTests {
    private let start = ContinuousClock.now

    private func meanings(at milliseconds: Int...) -> [StopRequests.Meaning] {
        var requests = StopRequests()
        return milliseconds.map { requests.meaning(ofInterrupt: false, at: start + .milliseconds($0)) }
    }

    @Test("a signal of a person and a signal of a program are different requests", arguments: [false, true])
    func kinds(isInterrupt: Bool) {
        var requests = StopRequests()
        #expect(requests.meaning(ofInterrupt: isInterrupt, at: start) == .stop)
        #expect(requests.meaning(ofInterrupt: isInterrupt, at: start) == .sameRequest)
        #expect(requests.meaning(ofInterrupt: !isInterrupt, at: start) == .endAtOnce)
    }

    @Test("the first signal stops the run, and signals within a moment are the same request")
    func moment() {
        #expect(meanings(at: 0, 0, 3, 249) == [.stop, .sameRequest, .sameRequest, .sameRequest])
    }

    @Test("a signal after the moment ends the run at once")
    func later() {
        #expect(meanings(at: 0, 250) == [.stop, .endAtOnce])
        #expect(meanings(at: 0, 3, 5000) == [.stop, .sameRequest, .endAtOnce])
    }

    @Test("the moment begins with the first signal, so that repeated signals end the run")
    func goingOn() {
        #expect(meanings(at: 0, 150, 300) == [.stop, .sameRequest, .endAtOnce])
    }
}
