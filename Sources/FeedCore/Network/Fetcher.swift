import Synchronization

/// Has requests answered: tried again and redirected as `RequestMachine` says, left alone where `HostHealth` says so, resumed
/// as `ResumingSink` does it, and not beyond the deadline.
///
/// A run has one, so that what one request learns of a host holds for all of them.
package final class Fetcher: HTTPClient {
    /// Hears of a try that failed and that another follows, after a pause.
    package typealias RetryTeller = @Sendable (_ url: ResourceURL, _ error: FeedError, _ pause: Duration) -> Void

    private let remote: any HTTPClient
    private let files: any HTTPClient
    private let rules: FetchRules
    private let clockwork: TimeSource
    private let meter: ByteMeter?
    private let tellRetry: RetryTeller?
    private let health: Mutex<HostHealth>
    package let traffic: RequestScheduler
    package let deadline: Deadline?

    /// `files` answers for `file:` URLs.
    package init(
        _ remote: any HTTPClient, files: any HTTPClient, rules: FetchRules, clockwork: TimeSource,
        deadline: Deadline? = nil, meter: ByteMeter? = nil, tellingRetries tellRetry: RetryTeller? = nil
    ) {
        self.remote = remote
        self.files = files
        self.rules = rules
        self.clockwork = clockwork
        self.deadline = deadline
        self.meter = meter
        self.tellRetry = tellRetry
        traffic = RequestScheduler(jobs: rules.jobs, perHost: rules.perHost, clockwork: clockwork)
        health = Mutex(HostHealth(longestPause: rules.retry.longestHostPause))
        deadline?.whenPassed { [traffic] in traffic.endWaits() }
    }

    /// Waits for its turns as one with a task of its own.
    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        try await limited { [self] () async throws(FeedError) in
            try await waitUntilDue(request)
            var fetch = begin(request, into: sink)
            while true {
                switch try await tryInTurn(&fetch) {
                case .answered(let response): return response
                case .again(let pause, _): try await sleep(pause)
                case .elsewhere: break
                }
            }
        }
    }

    package func begin(_ request: HTTPRequest, into sink: any BodySink) -> Fetch {
        Fetch(request, into: sink, rules, meter)
    }

    /// One try, for which the caller has a place at its host. Throws where no other try follows.
    package func attempt(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        let before = fetch
        let (after, step) = try await limited { [self] () async throws(FeedError) in
            var fetch = before
            let step = try await tryOnce(&fetch)
            return (fetch, step)
        }
        fetch = after
        return step
    }

    private func tryInTurn(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        guard fetch.machine.request.url.isRemote else { return try await tryOnce(&fetch) }
        let place = try await traffic.enter(fetch.origin)
        var pause: Duration?
        defer { traffic.leave(place, keepingItFor: pause, fetch.news) }
        let step = try await tryOnce(&fetch)
        if case .again(let span, sparingHost: true) = step { pause = span }
        return step
    }

    /// Waits as long as the server asked in an earlier run, unless that is longer than a run waits.
    private func waitUntilDue(_ request: HTTPRequest) async throws(FeedError) {
        guard let due = request.notBefore else { return }
        let left = due - clockwork.uptime()
        guard left > rules.retry.longestHostPause else { return try await sleep(left) }
        var error = FeedError.connectivity(
            "the server asked in an earlier run to be left alone until \(due.rfc3339)", host: request.url.hostAndPort)
        error.isWait = true
        throw error
    }

    private func limited<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let deadline else { return try await work() }
        return try await deadline.limit(work)
    }

    private func sleep(_ span: Duration) async throws(FeedError) {
        guard span > .zero else { return }
        do {
            try await clockwork.sleep(span)
        } catch {
            // Nothing else ends a sleep early.
            throw .cancelled
        }
    }
}

/// One try, and what it means for its host.
extension Fetcher {
    private func tryOnce(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        guard !Task.isCancelled else { throw .cancelled }
        guard fetch.machine.request.url.isRemote else {
            return .answered(try await files.get(fetch.machine.request, into: fetch.body))
        }
        let host = name(of: fetch.machine.request)
        let round: HostHealth.Round
        switch verdict(host, fetch) {
        case .go(let now): round = now
        case .givenUp(let error): throw error
        case .wait(let moment): return .again(after: moment - clockwork.uptime(), sparingHost: false)
        }
        let (failure, response): (AttemptFailure, HTTPResponse?)
        switch await ask(fetch) {
        case .answered(let answer):
            answered(at: host)
            return try step(&fetch, fetch.machine.answered(answer))
        case .startOver:
            answered(at: host)
            return .elsewhere
        case .failed(let what, _) where what.error.isCancellation: throw what.error
        case .failed(let what, let answer): (failure, response) = (what, answer)
        }
        let next = fetch.machine.failed(failure, response, random: clockwork.random())
        learn(from: failure, hasAnswered: fetch.news != .nothing, at: host, in: round, next)
        if case .wait(let pause) = next {
            tellRetry?(fetch.machine.request.url, failure.error, pause)
            return .again(after: pause, sparingHost: !failure.isSilence)
        }
        // That the host asks to wait for too long says more than the status of its answer.
        if let pause = failure.retryAfter, pause > fetch.machine.retry.longestHostPause,
            case .givenUp(var error) = verdict(host, fetch)
        {
            error.retryAfter = pause
            throw error
        }
        return try step(&fetch, next)
    }

    /// Which is any but a wait.
    private func step(_ fetch: inout Fetch, _ step: RequestMachine.Step) throws(FeedError) -> Fetch.Step {
        switch step {
        case .ask, .wait:
            // What came is the redirect's.
            fetch.forgetBody()
            return .elsewhere
        case .done(let response): return .answered(response)
        case .failed(let error): throw error
        }
    }

    private enum Outcome {
        case answered(HTTPResponse)
        /// What came can't be joined to the part that is there.
        case startOver
        case failed(AttemptFailure, HTTPResponse?)
    }

    private func ask(_ fetch: Fetch) async -> Outcome {
        let (machine, body) = (fetch.machine, fetch.body)
        let url = machine.request.url
        var request = body.nextRequest { [self] head in
            failure(in: head, at: url).map(machine.wouldRetry) ?? false
        }
        request.connectsAnew = machine.request.connectsAnew
        do throws(FeedError) {
            let response = try await remote.get(request, into: body)
            switch body.finish(response) {
            case .unusable: return .startOver
            case .incomplete(let error): return .failed(AttemptFailure(error.touching(response.circumstances)), nil)
            case .whole(let response):
                guard let failure = failure(in: response.head, at: url) else { return .answered(response) }
                return .failed(failure, response)
            }
        } catch {
            return .failed(AttemptFailure(error), nil)
        }
    }

    /// The passing failure that an answer is, if it is one.
    private func failure(in head: HTTPHead, at url: ResourceURL) -> AttemptFailure? {
        guard HTTPStatus.isConnectivity(head.status) else { return nil }
        let failure = AttemptFailure(
            HTTPStatus.failure(head.status, at: url).at(.transferring), retryAfter: head.retryAfter)
        return failure.isPassing ? failure : nil
    }

    /// The name that the host's health goes by. Through another proxy, or by another trust, a host is another: it may answer
    /// there though it can't be reached here.
    private func name(of request: HTTPRequest) -> String {
        guard let own = request.manner?.network.route, own != rules.route else { return request.origin }
        return "\(request.origin) \(own)"
    }

    private func verdict(_ host: String, _ fetch: Fetch) -> HostHealth.Verdict {
        health.withLock { $0.verdict(host, retries: fetch.machine.retry.retries, now: clockwork.uptime()) }
    }

    private func answered(at host: String) {
        let (endsWait, end) = health.withLock { health in
            health.answered(host) ? (true, health.waitEnd(host)) : (false, nil)
        }
        if endsWait { traffic.hold(host, until: end) }
    }

    private func learn(
        from failure: AttemptFailure, hasAnswered: Bool, at host: String, in round: HostHealth.Round,
        _ next: RequestMachine.Step
    ) {
        let now = clockwork.uptime()
        change(host) { health in
            if hasAnswered {
                health.answered(host, isBusy: true)
            } else if failure.isSilence {
                health.wasSilent(host, in: round, failure.error)
            } else if failure.isFailureToConnect {
                let nextTry: Timestamp? = if case .wait(let pause) = next { now + pause } else { nil }
                health.failedToConnect(host, in: round, failure.error, nextTry: nextTry)
            }
            if let pause = failure.retryAfter { health.askedToWait(host, for: pause, failure.error, now: now) }
        }
    }

    /// Its requests wait as long as its health then says.
    private func change(_ host: String, _ work: (inout HostHealth) -> Void) {
        let waitEnd = health.withLock { health in
            work(&health)
            return health.waitEnd(host)
        }
        traffic.hold(host, until: waitEnd)
    }
}
