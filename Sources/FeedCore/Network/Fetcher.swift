import Synchronization

/// Has a request answered: at most so many at a time to one host, tried again and redirected as `RequestMachine` says, left
/// alone where `HostHealth` says so, resumed as `ResumingSink` does it, and not beyond the deadline.
///
/// A run has one, so that what one request learns of a host holds for all of them. A request that waits for its next try
/// has no place at its host.
package final class Fetcher: HTTPClient {
    /// Hears of a try that failed and that another follows, after a pause.
    package typealias RetryTeller = @Sendable (_ url: ResourceURL, _ error: FeedError, _ pause: Duration) -> Void

    private let remote: any HTTPClient
    private let files: any HTTPClient
    private let rules: FetchRules
    private let clockwork: Clockwork
    private let meter: ByteMeter?
    private let tellRetry: RetryTeller?
    private let places: HostPlaces
    private let health: Mutex<HostHealth>
    package let deadline: Deadline?

    /// `files` answers for `file:` URLs.
    package init(
        _ remote: any HTTPClient, files: any HTTPClient, rules: FetchRules, clockwork: Clockwork,
        deadline: Deadline? = nil, meter: ByteMeter? = nil, tellingRetries tellRetry: RetryTeller? = nil
    ) {
        self.remote = remote
        self.files = files
        self.rules = rules
        self.clockwork = clockwork
        self.deadline = deadline
        self.meter = meter
        self.tellRetry = tellRetry
        places = HostPlaces(perHost: rules.perHost)
        health = Mutex(HostHealth(longestPause: rules.retry.longestHostPause))
    }

    /// How many wait for a place at their host, for tests to know when they do.
    package var waitingCount: Int { places.waitingCount }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        guard let deadline else { return try await fetch(request, into: sink) }
        return try await deadline.limit { () async throws(FeedError) in
            try await self.fetch(request, into: sink)
        }
    }

    private func fetch(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        var machine = RequestMachine(request, rules)
        var body = ResumingSink(into: sink, of: machine.request, meter: meter)
        guard request.url.isRemote else { return try await files.get(machine.request, into: body) }
        while true {
            let host = machine.request.url
            switch try await tryOnce(&machine, body) {
            case .ask where machine.request.url != host:
                body = ResumingSink(into: sink, of: machine.request, meter: meter)
            case .ask: break
            case .wait(let pause, let error):
                tellRetry?(host, error, pause)
                try await sleep(pause, error.stage == .waiting ? .ofRequest : .ofHost, sink)
            case .done(let response): return response
            case .failed(let error): throw error
            }
        }
    }
}

/// One try, and what it means for its host.
extension Fetcher {
    private enum Step {
        case ask
        case wait(Duration, FeedError)
        case done(HTTPResponse)
        case failed(FeedError)
    }

    private func tryOnce(_ machine: inout RequestMachine, _ body: ResumingSink) async throws(FeedError) -> Step {
        let host = name(of: machine.request)
        let round = try await turn(at: host, machine.retry.retries, body)
        let (failure, response): (AttemptFailure, HTTPResponse?)
        switch await ask(machine, body) {
        case .answered(let answer):
            health.withLock { $0.answered(host) }
            return step(machine.answered(answer))
        case .startOver:
            health.withLock { $0.answered(host) }
            return .ask
        case .failed(let what, let answer): (failure, response) = (what, answer)
        }
        let next = machine.failed(failure, response, random: clockwork.random())
        learn(from: failure, hasAnswered: body.hasAnswered, at: host, in: round, next)
        if case .wait(let pause) = next { return .wait(pause, failure.error) }
        // That the host asks to wait for too long says more than the status of its answer.
        if let error = refusal(of: failure, at: host, machine.retry) { return .failed(error) }
        return step(next)
    }

    private func step(_ step: RequestMachine.Step) -> Step {
        switch step {
        case .ask, .wait: .ask
        case .done(let response): .done(response)
        case .failed(let error): .failed(error)
        }
    }

    private enum Outcome {
        case answered(HTTPResponse)
        /// What came can't be joined to the part that is there.
        case startOver
        case failed(AttemptFailure, HTTPResponse?)
    }

    private func ask(_ machine: RequestMachine, _ body: ResumingSink) async -> Outcome {
        let url = machine.request.url
        let request = body.nextRequest { [self] head in
            failure(in: head, at: url).map(machine.wouldRetry) ?? false
        }
        do throws(FeedError) {
            let place = try await places.enter(request.origin)
            defer { places.leave(place) }
            let response = try await remote.get(request, into: body)
            switch body.finish(response) {
            case .unusable: return .startOver
            case .incomplete(let error): return .failed(AttemptFailure(error), nil)
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
        let pause = head[.retryAfter].flatMap { RetryAfter.parse($0, now: clockwork.now()) }
        let failure = AttemptFailure(HTTPStatus.failure(head.status, at: url).at(.transferring), retryAfter: pause)
        return failure.isPassing ? failure : nil
    }

    /// The name that the host's health goes by. Through another proxy, or by another trust, a host is another: it may answer
    /// there though it can't be reached here.
    private func name(of request: HTTPRequest) -> String {
        guard let own = request.manner?.network.route, own != rules.route else { return request.origin }
        return "\(request.origin) \(own)"
    }

    /// Returns when a request may start.
    private func turn(at host: String, _ retries: Int, _ sink: any BodySink) async throws(FeedError) -> HostHealth.Round
    {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch health.withLock({ $0.verdict(host, retries: retries, now: clockwork.uptime()) }) {
            case .go(let round): return round
            case .givenUp(let error): throw error
            case .wait(let moment): try await sleep(moment - clockwork.uptime(), .ofHost, sink)
            }
        }
    }

    /// The reason for which the host was given up, if it just asked to be left alone for longer than anybody waits.
    private func refusal(of failure: AttemptFailure, at host: String, _ policy: RetryPolicy) -> FeedError? {
        guard let pause = failure.retryAfter, pause > policy.longestHostPause,
            case .givenUp(let error) = health.withLock({
                $0.verdict(host, retries: policy.retries, now: clockwork.uptime())
            })
        else { return nil }
        return error
    }

    private func learn(
        from failure: AttemptFailure, hasAnswered: Bool, at host: String, in round: HostHealth.Round,
        _ next: RequestMachine.Step
    ) {
        let now = clockwork.uptime()
        health.withLock { health in
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

    private func sleep(_ span: Duration, _ pause: RequestPause, _ sink: any BodySink) async throws(FeedError) {
        guard span > .zero else { return }
        do {
            try await sink.pausing(pause) { try await clockwork.sleep(span) }
        } catch {
            // Nothing else ends a sleep early.
            throw .cancelled
        }
    }
}
