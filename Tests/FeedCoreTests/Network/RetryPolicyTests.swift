import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Retry policy")
struct RetryPolicyTests {
    private static let policy = RetryPolicy(retries: 3)

    private static func answer(_ status: Int, retryAfter: Duration? = nil) -> AttemptFailure {
        AttemptFailure(.connectivity("HTTP", status: status).at(.transferring), retryAfter: retryAfter)
    }

    @Test(
        "Exactly these statuses of an unavailable server pass",
        arguments: Array(400...599))
    func statuses(status: Int) {
        let passing = [408, 425, 429, 500, 502, 503, 504].contains(status)
        #expect(Self.answer(status).isPassing == passing)
        let action = Self.policy.action(after: Self.answer(status), attempt: 0, random: 0)
        #expect(action == (passing ? .retry(after: .zero) : .giveUp))
    }

    @Test(
        "A failure to reach the server passes, and a failure to trust it does not",
        arguments: [
            (FeedError.connectivity("refused"), FeedError.Stage.connecting, true),
            (.connectivity("a bad certificate"), .trusting, false),
            (.connectivity("stalled"), .transferring, true),
            (.connectivity("cut off within a 200", status: 200), .transferring, true),
            (.connectivity("cut off within a 302", status: 302), .transferring, true),
            (.connectivity("the proxy's status on connecting", status: 501), .connecting, true),
            (.invalidData("no image"), .transferring, false),
            (.invalidData("not found", status: 404), .transferring, false),
            (.invalidData("a kind decides, not a status", status: 503), .transferring, false),
            (.notFound("no such file"), .transferring, false),
            (.storage(.failed, "disk full"), .transferring, false),
            (.cancelled, .connecting, false),
            (.cancelled, .transferring, false),
        ])
    func kinds(error: FeedError, stage: FeedError.Stage, isPassing: Bool) {
        let failure = AttemptFailure(error.at(stage))
        #expect(failure.isPassing == isPassing)
        let action = Self.policy.action(after: failure, attempt: 0, random: 0)
        #expect(action == (isPassing ? .retry(after: .zero) : .giveUp))
    }

    @Test(
        "Only failures to connect or to trust count as failures to connect",
        arguments: [
            (FeedError.connectivity("refused"), FeedError.Stage.connecting, true),
            (.connectivity("a bad certificate"), .trusting, true),
            (.connectivity("stalled"), .transferring, false),
            (.connectivity("can't serve", status: 503), .transferring, false),
            (.cancelled, .connecting, false),
            (.storage(.failed, "disk full"), .connecting, false),
        ])
    func hostCounts(error: FeedError, stage: FeedError.Stage, counts: Bool) {
        #expect(AttemptFailure(error.at(stage)).isFailureToConnect == counts)
    }

    @Test(
        "A request has exactly as many further attempts as retries",
        arguments: [
            (3, 0, true), (3, 2, true), (3, 3, false), (3, 4, false), (1, 0, true), (1, 1, false), (0, 0, false),
            (-1, 0, false), (.max, .max - 1, true),
        ])
    func attempts(retries: Int, attempt: Int, isRetried: Bool) {
        let action = RetryPolicy(retries: retries).action(after: Self.answer(503), attempt: attempt, random: 0)
        #expect(action == (isRetried ? .retry(after: .zero) : .giveUp))
    }

    @Test(
        "The longest wait doubles from half a second to a minute",
        arguments: [
            (0, 0.5), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (63, 60), (1000, 60),
        ])
    func backOff(attempt: Int, ceiling: Double) {
        let policy = RetryPolicy(retries: .max)
        func wait(_ random: Double) -> RetryPolicy.Action {
            policy.action(after: Self.answer(503), attempt: attempt, random: random)
        }
        #expect(wait(0) == .retry(after: .zero))
        #expect(wait(0.25) == .retry(after: .seconds(ceiling / 4)))
        #expect(wait(0.5) == .retry(after: .seconds(ceiling / 2)))
        guard case .retry(let longest) = wait(1.0.nextDown) else {
            Issue.record("gave up")
            return
        }
        #expect(longest <= .seconds(ceiling) && longest > .seconds(ceiling * 0.999))
    }

    @Test("Waits are spread over their whole span, even very short waits")
    func jitter() {
        var random = SeededGenerator(seed: 7)
        var tenths = [Int](repeating: 0, count: 10)
        for _ in 0..<2000 {
            let number = Double.random(in: 0..<1, using: &random)
            guard case .retry(let wait) = Self.policy.action(after: Self.answer(503), attempt: 1, random: number)
            else {
                Issue.record("gave up")
                return
            }
            tenths[min(9, Int(wait / .milliseconds(100)))] += 1
        }
        #expect(tenths.allSatisfy { (130...270).contains($0) }, "\(tenths)")
    }

    @Test(
        "Retry-After is the shortest wait, and more than two minutes of it ends the retries",
        arguments: [
            (Duration.zero, 0.5, RetryPolicy.Action.retry(after: .milliseconds(250))),
            (.milliseconds(100), 0.5, .retry(after: .milliseconds(250))),
            (.seconds(7), 0.5, .retry(after: .seconds(7))),
            (.seconds(120), 0.5, .retry(after: .seconds(120))),
            (.seconds(120) + .microseconds(1), 0.5, .giveUp),
            (.seconds(Int64(1) << 31), 0.5, .giveUp),
        ])
    func retryAfter(pause: Duration, random: Double, action: RetryPolicy.Action) {
        let failure = Self.answer(429, retryAfter: pause)
        #expect(Self.policy.action(after: failure, attempt: 0, random: random) == action)
        #expect(Self.policy.action(after: failure, attempt: 3, random: random) == .giveUp)
        #expect(Self.policy.action(after: Self.answer(501, retryAfter: pause), attempt: 0, random: 0) == .giveUp)
    }

    @Test("Base, cap and longest pause are settings, and every setting gives a finite wait of at least zero")
    func settings() {
        let policy = RetryPolicy(retries: 9, base: .seconds(3), cap: .seconds(10), longestHostPause: .seconds(5))
        #expect(policy.action(after: Self.answer(503), attempt: 1, random: 0.5) == .retry(after: .seconds(3)))
        #expect(policy.action(after: Self.answer(503), attempt: 2, random: 0.5) == .retry(after: .seconds(5)))
        #expect(policy.action(after: Self.answer(503, retryAfter: .seconds(6)), attempt: 0, random: 0) == .giveUp)
        let still = RetryPolicy(retries: .max, base: .zero)
        #expect(still.action(after: Self.answer(503), attempt: .max - 1, random: 0.5) == .retry(after: .zero))
    }
}
