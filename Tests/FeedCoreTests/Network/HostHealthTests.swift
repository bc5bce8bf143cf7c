import FeedCore
import Testing

@Suite("Host health")
struct HostHealthTests {
    private static let start = Timestamp(microseconds: 1_774_744_200_000_000)
    private static let here = "https://a.example:443"
    private static let there = "https://b.example:443"
    private static let refused = FeedError.connectivity("connection refused", host: "a.example")
    private static let busy = FeedError.connectivity("the server answered HTTP 429", status: 429, host: "a.example")

    private func at(_ seconds: Double) -> Timestamp { Self.start + .seconds(seconds) }

    /// Starts a request, which fails to connect.
    private func fail(
        _ health: inout HostHealth, retries: Int = 3, nextTry: Timestamp? = nil, now: Timestamp = start
    ) throws {
        let generation = try generation(health, retries: retries, now: now)
        health.failedToConnect(Self.here, in: generation, Self.refused, nextTry: nextTry)
    }

    private func generation(
        _ health: HostHealth, retries: Int = 3, now: Timestamp = start
    ) throws -> HostHealth.Generation {
        guard case .go(let generation) = health.decision(Self.here, retries: retries, now: now) else { throw Held() }
        return generation
    }

    private struct Held: Error {}

    private func isGivenUp(_ health: HostHealth, retries: Int = 3, now: Timestamp = start) -> Bool {
        if case .givenUp = health.decision(Self.here, retries: retries, now: now) { true } else { false }
    }

    @Test("An unknown host may be requested")
    func unknown() throws {
        var health = HostHealth()
        _ = try generation(health)
        health.answered(Self.here)
        _ = try generation(health)
    }

    @Test("A host is given up after more failures in a row than there are retries", arguments: [0, 1, 3, 10])
    func givenUp(retries: Int) throws {
        var health = HostHealth()
        for _ in 0..<retries { try fail(&health, retries: retries) }
        #expect(!isGivenUp(health, retries: retries))
        try fail(&health, retries: retries)
        #expect(isGivenUp(health, retries: retries))
        guard case .go = health.decision(Self.there, retries: 3, now: Self.start) else { throw Held() }
    }

    @Test("A host is given up only for requests with too few retries, and stays given up for them")
    func own() throws {
        var health = HostHealth()
        try fail(&health)
        try fail(&health)
        func isGivenUp(_ retries: Int) -> Bool { self.isGivenUp(health, retries: retries) }
        #expect([0, 1, 2, 3].map(isGivenUp) == [true, true, false, false])
        health.answered(Self.here)
        #expect([0, 1, 2, 3].map(isGivenUp) == [true, true, false, false])
        for _ in 0..<3 { try fail(&health) }
        #expect([0, 1, 2, 3].map(isGivenUp) == [true, true, true, false])
    }

    @Test("The reason for giving a host up is the last failure with the number of attempts")
    func reason() throws {
        var health = HostHealth()
        try fail(&health)
        try fail(&health)
        let error = FeedError.connectivity("connection refused", host: "a.example")
            .adding("; given up after 2 failed tries in a row")
        #expect(health.decision(Self.here, retries: 1, now: Self.start) == .givenUp(error))
    }

    @Test("Any response of the host ends its failures in a row, and a response of another host does not")
    func answered() throws {
        var health = HostHealth()
        for _ in 0..<50 {
            for _ in 0..<3 { try fail(&health) }
            health.answered(Self.here)
        }
        #expect(!isGivenUp(health))
        for _ in 0..<3 { try fail(&health) }
        health.answered(Self.there)
        try fail(&health)
        #expect(isGivenUp(health))
    }

    @Test("Requests that fail side by side count as one failure of their host")
    func sideBySide() throws {
        var health = HostHealth()
        for wave in 1...4 {
            #expect(!isGivenUp(health), "before wave \(wave)")
            let generation = try generation(health)
            for _ in 0..<6 { health.failedToConnect(Self.here, in: generation, Self.refused) }
        }
        #expect(isGivenUp(health))
    }

    @Test("A failure of a request that started before a response does not count after it")
    func beforeTheAnswer() throws {
        var health = HostHealth()
        try fail(&health)
        let early = try generation(health)
        health.answered(Self.here)
        health.failedToConnect(Self.here, in: early, Self.refused)
        try fail(&health)
        #expect(!isGivenUp(health, retries: 1))
        try fail(&health)
        #expect(isGivenUp(health, retries: 1))
    }

    @Test("After a failure to connect, requests wait for the next attempt, unless a response arrives")
    func nextTry() throws {
        var health = HostHealth()
        try fail(&health, nextTry: at(2))
        #expect(health.decision(Self.here, retries: 3, now: at(0)) == .wait(until: at(2)))
        #expect(health.decision(Self.here, retries: 3, now: at(1.999_999)) == .wait(until: at(2)))
        _ = try generation(health, now: at(2))
        health.answered(Self.here)
        _ = try generation(health, now: at(0))
        try fail(&health, nextTry: at(9), now: at(2))
        try fail(&health, nextTry: nil, now: at(9))
        _ = try generation(health, now: at(0))
    }

    @Test("Retry-After holds back the requests to its host only")
    func pause() throws {
        var health = HostHealth()
        health.askedToWait(Self.here, for: .seconds(10), Self.busy, now: at(5))
        #expect(health.decision(Self.here, retries: 3, now: at(5)) == .wait(until: at(15)))
        #expect(health.decision(Self.here, retries: 3, now: at(14.999_999)) == .wait(until: at(15)))
        _ = try generation(health, now: at(15))
        guard case .go = health.decision(Self.there, retries: 3, now: at(5)) else { throw Held() }
    }

    @Test("The pause that ends last applies, and a response does not end it early")
    func pauses() throws {
        var health = HostHealth()
        health.askedToWait(Self.here, for: .seconds(60), Self.busy, now: at(0))
        health.askedToWait(Self.here, for: .seconds(1), Self.busy, now: at(1))
        health.answered(Self.here)
        #expect(health.decision(Self.here, retries: 3, now: at(2)) == .wait(until: at(60)))
        health.askedToWait(Self.here, for: .seconds(59), Self.busy, now: at(2))
        #expect(health.decision(Self.here, retries: 3, now: at(60)) == .wait(until: at(61)))
    }

    @Test("The later of a pause and the next attempt applies")
    func pauseAndNextTry() throws {
        for (pause, nextTry) in [(3.0, 8.0), (8, 3)] {
            var health = HostHealth()
            let generation = try generation(health)
            health.askedToWait(Self.here, for: .seconds(pause), Self.busy, now: at(0))
            health.failedToConnect(Self.here, in: generation, Self.refused, nextTry: at(nextTry))
            #expect(health.decision(Self.here, retries: 3, now: at(0)) == .wait(until: at(8)))
        }
    }

    @Test(
        "A host that asks for more than two minutes is given up",
        arguments: [
            (Duration.seconds(120), false), (.seconds(120) + .microseconds(1), true), (.seconds(3600), true),
            (.seconds(Int64(1) << 31), true),
        ])
    func longPause(pause: Duration, isGivenUp: Bool) {
        var health = HostHealth()
        health.askedToWait(Self.here, for: pause, Self.busy, now: at(0))
        #expect(self.isGivenUp(health) == isGivenUp)
    }

    @Test("The reason for a pause that is too long contains the status and the pause")
    func longPauseReason() {
        var health = HostHealth()
        health.askedToWait(Self.here, for: .seconds(3600), Self.busy, now: at(0))
        let error = FeedError.connectivity("the server answered HTTP 429", status: 429, host: "a.example")
            .adding(" and asks to wait 3600 seconds, over the 120 that feedsync waits")
        #expect(health.decision(Self.here, retries: 3, now: at(0)) == .givenUp(error))
    }

    @Test("A host whose only responses ask for pauses is given up after two minutes of them")
    func manyPauses() throws {
        var health = HostHealth()
        var now = at(0)
        for _ in 0..<4 {
            health.askedToWait(Self.here, for: .seconds(30), Self.busy, now: now)
            // Requests side by side count once, even at slightly different times.
            for _ in 0..<5 {
                now = now + .milliseconds(20)
                health.askedToWait(Self.here, for: .seconds(30), Self.busy, now: now)
            }
            #expect(!isGivenUp(health, now: now))
            now = now + .seconds(30)
            health.answered(Self.here, isBusy: true)
        }
        var served = health
        served.answered(Self.here)
        served.askedToWait(Self.here, for: .seconds(1), Self.busy, now: now)
        #expect(!isGivenUp(served, now: now))
        health.askedToWait(Self.here, for: .seconds(1), Self.busy, now: now)
        let error = FeedError.connectivity("the server answered HTTP 429", status: 429, host: "a.example")
            .adding(" and asked again and again to wait, for 121 seconds, over the 120 that feedsync waits")
        #expect(health.decision(Self.here, retries: 3, now: now) == .givenUp(error))
    }

    @Test("The longest pause may be asked of many requests at slightly different times")
    func longestPauseOfMany() {
        var health = HostHealth()
        for request in 0..<6 {
            let now = at(0) + .milliseconds(10 * request)
            health.askedToWait(Self.here, for: .seconds(120), Self.busy, now: now)
        }
        #expect(health.decision(Self.here, retries: 3, now: at(1)) == .wait(until: at(120) + .milliseconds(50)))
    }

    @Test("A request with more retries bears more silence, and a given-up host stays so after a response")
    func silenceByRetries() throws {
        let silent = FeedError.connectivity("no data arrived", host: "a.example").at(.waiting)
        var health = HostHealth()
        for _ in 0..<5 { health.wasSilent(Self.here, in: try generation(health, retries: 6), silent) }
        #expect([0, 3, 4, 5, 6].map { isGivenUp(health, retries: $0) } == [true, true, true, false, false])
        health.answered(Self.here)
        #expect([0, 3, 4, 5, 6].map { isGivenUp(health, retries: $0) } == [true, true, true, false, false])
    }

    @Test("A host that is silent four times in a row is given up, and silences side by side count as one")
    func silence() throws {
        let silent = FeedError.connectivity("no data arrived for 30 seconds", host: "a.example").at(.waiting)
        var health = HostHealth()
        for _ in 0..<3 {
            let generation = try generation(health, retries: 0)
            for _ in 0..<6 { health.wasSilent(Self.here, in: generation, silent) }
        }
        _ = try generation(health, retries: 0)
        health.answered(Self.here, isBusy: true)
        for _ in 0..<3 { health.wasSilent(Self.here, in: try generation(health), silent) }
        let last = try generation(health, retries: 0)
        health.wasSilent(Self.here, in: last, silent)
        let error = FeedError.connectivity("no data arrived for 30 seconds", host: "a.example").at(.waiting)
            .adding("; given up after 4 tries in a row without an answer")
        #expect(health.decision(Self.here, retries: 3, now: at(0)) == .givenUp(error))
    }

    @Test("A host that was given up stays given up, for the first reason")
    func stays() throws {
        var health = HostHealth()
        let early = try generation(health)
        health.failedToConnect(Self.here, in: early, Self.refused)
        let decision = health.decision(Self.here, retries: 0, now: at(0))
        #expect(isGivenUp(health, retries: 0))
        health.answered(Self.here)
        health.askedToWait(Self.here, for: .seconds(3600), Self.busy, now: at(0))
        health.askedToWait(Self.here, for: .seconds(1), Self.busy, now: at(0))
        health.failedToConnect(Self.here, in: early, Self.busy)
        #expect(health.decision(Self.here, retries: 0, now: at(86_400)) == decision)
    }
}
