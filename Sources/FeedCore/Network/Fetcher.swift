import Synchronization

/// Sends the requests of a run: retries and redirects them as `RequestMachine` decides, spares hosts as `HostHealth`
/// decides, resumes bodies with `ResumingSink`, and stops at the deadline.
///
/// A run has one fetcher, so that what one request learns about a host applies to all requests.
package final class Fetcher: HTTPClient {
    /// Observes a failed attempt that is retried after a pause.
    package typealias RetryTeller = @Sendable (_ url: ResourceURL, _ error: FeedError, _ pause: Duration) -> Void

    private let remote: any HTTPClient
    private let files: any HTTPClient
    private let rules: FetchRules
    private let time: TimeSource
    private let meter: ByteMeter?
    private let onRetry: RetryTeller?
    private let health: Mutex<HostHealth>
    package let scheduler: RequestScheduler
    package let deadline: Deadline?

    package var executor: (any TaskExecutor)? { remote.executor }

    /// `files` answers requests for `file:` URLs.
    package init(
        _ remote: any HTTPClient, files: any HTTPClient, rules: FetchRules, clockwork time: TimeSource,
        deadline: Deadline? = nil, meter: ByteMeter? = nil, tellingRetries onRetry: RetryTeller? = nil
    ) {
        self.remote = remote
        self.files = files
        self.rules = rules
        self.time = time
        self.deadline = deadline
        self.meter = meter
        self.onRetry = onRetry
        scheduler = RequestScheduler(jobs: rules.jobs, perHost: rules.perHost, time: time)
        health = Mutex(HostHealth(longestPause: rules.retry.longestHostPause))
        deadline?.whenPassed { [scheduler] in scheduler.endWaits() }
    }

    /// Sends a request from a task of its own, which waits for each slot.
    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        try await limited { [self] () async throws(FeedError) in
            try await waitUntilDue(request)
            var fetch = begin(request, into: sink)
            while true {
                switch try await attemptInTurn(&fetch) {
                case .answered(let response): return response
                case .retry(let pause, _): try await sleep(pause)
                case .requeue: break
                }
            }
        }
    }

    package func begin(_ request: HTTPRequest, into sink: any BodySink) -> Fetch {
        Fetch(request, into: sink, rules, meter)
    }

    /// Makes one attempt, for which the caller has a slot.
    ///
    /// Throws if it is the last attempt and fails.
    package func attempt(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        let before = fetch
        let (after, step) = try await limited { [self] () async throws(FeedError) in
            var fetch = before
            let step = try await attemptOnce(&fetch)
            return (fetch, step)
        }
        fetch = after
        return step
    }

    private func attemptInTurn(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        guard fetch.machine.request.url.isRemote else { return try await attemptOnce(&fetch) }
        let slot = try await scheduler.acquireSlot(at: fetch.origin)
        var pause: Duration?
        defer { scheduler.release(slot, reservedFor: pause, fetch.signal) }
        let step = try await attemptOnce(&fetch)
        if case .retry(let span, reservingSlot: true) = step { pause = span }
        return step
    }

    /// Waits for the end of the pause that the server asked for in an earlier run.
    ///
    /// Throws if that is later than a run waits.
    private func waitUntilDue(_ request: HTTPRequest) async throws(FeedError) {
        guard let due = request.notBefore else { return }
        let left = due - time.uptime()
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
            try await time.sleep(span)
        } catch {
            // Only a cancellation ends a sleep early.
            throw .cancelled
        }
    }
}

// MARK: One attempt, and what it means for its host

extension Fetcher {
    private func attemptOnce(_ fetch: inout Fetch) async throws(FeedError) -> Fetch.Step {
        guard !Task.isCancelled else { throw .cancelled }
        guard fetch.machine.request.url.isRemote else {
            return .answered(try await files.get(fetch.machine.request, into: fetch.body))
        }
        let host = name(of: fetch.machine.request)
        let generation: HostHealth.Generation
        switch decision(host, fetch) {
        case .go(let current): generation = current
        case .givenUp(let error): throw error
        case .wait(let end): return .retry(after: end - time.uptime(), reservingSlot: false)
        }
        switch await send(fetch) {
        case .answered(let response):
            answered(at: host)
            return try step(&fetch, fetch.machine.answered(response))
        case .startOver:
            answered(at: host)
            return .requeue
        case .failed(let failure, _) where failure.error.isCancellation: throw failure.error
        case .failed(let failure, let response):
            let next = fetch.machine.failed(failure, response, random: time.random())
            learn(from: failure, hasAnswered: fetch.signal != .nothing, at: host, in: generation, next)
            return try step(&fetch, next, after: failure, at: host)
        }
    }

    /// Returns the step after a failure.
    private func step(
        _ fetch: inout Fetch, _ next: RequestMachine.Step, after failure: AttemptFailure, at host: String
    ) throws(FeedError) -> Fetch.Step {
        if case .wait(let pause) = next {
            onRetry?(fetch.machine.request.url, failure.error, pause)
            return .retry(after: pause, reservingSlot: !failure.isSilence)
        }
        // A pause that is too long explains more than the status of the response.
        if let pause = failure.retryAfter, pause > fetch.machine.retry.longestHostPause,
            case .givenUp(var error) = decision(host, fetch)
        {
            error.retryAfter = pause
            throw error
        }
        return try step(&fetch, next)
    }

    /// Returns the step for anything but a wait.
    private func step(_ fetch: inout Fetch, _ step: RequestMachine.Step) throws(FeedError) -> Fetch.Step {
        switch step {
        case .send, .wait:
            // The body so far belongs to the redirect.
            fetch.forgetBody()
            return .requeue
        case .done(let response): return .answered(response)
        case .failed(let error): throw error
        }
    }

    private enum Outcome {
        case answered(HTTPResponse)
        /// The response can't be joined to the beginning of the body.
        case startOver
        case failed(AttemptFailure, HTTPResponse?)
    }

    private func send(_ fetch: Fetch) async -> Outcome {
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
            case .incomplete(let error): return .failed(AttemptFailure(error), nil)
            case .whole(let response):
                guard let failure = failure(in: response.head, at: url) else { return .answered(response) }
                return .failed(failure, response)
            }
        } catch {
            return .failed(AttemptFailure(error), nil)
        }
    }

    /// Returns the passing failure that a response reports, if it reports one.
    private func failure(in head: HTTPHead, at url: ResourceURL) -> AttemptFailure? {
        guard HTTPStatus.isConnectivity(head.status) else { return nil }
        let failure = AttemptFailure(
            HTTPStatus.failure(head.status, at: url).at(.transferring), retryAfter: head.retryAfter)
        return failure.isPassing ? failure : nil
    }

    /// Returns the name of the host in `HostHealth`.
    ///
    /// It includes the route, because a host may be reachable through one proxy and unreachable through another.
    private func name(of request: HTTPRequest) -> String {
        guard let own = request.manner?.network.route, own != rules.route else { return request.origin }
        return "\(request.origin) \(own)"
    }

    private func decision(_ host: String, _ fetch: Fetch) -> HostHealth.Decision {
        health.withLock { $0.decision(host, retries: fetch.machine.retry.retries, now: time.uptime()) }
    }

    private func answered(at host: String) {
        let (endsWait, end) = health.withLock { health in
            health.answered(host) ? (true, health.waitEnd(host)) : (false, nil)
        }
        if endsWait { scheduler.hold(host, until: end) }
    }

    private func learn(
        from failure: AttemptFailure, hasAnswered: Bool, at host: String, in generation: HostHealth.Generation,
        _ next: RequestMachine.Step
    ) {
        let now = time.uptime()
        change(host) { health in
            if hasAnswered {
                health.answered(host, isBusy: true)
            } else if failure.isSilence {
                health.wasSilent(host, in: generation, failure.error)
            } else if failure.isFailureToConnect {
                let nextTry: Timestamp? = if case .wait(let pause) = next { now + pause } else { nil }
                health.failedToConnect(host, in: generation, failure.error, nextTry: nextTry)
            }
            if let pause = failure.retryAfter { health.askedToWait(host, for: pause, failure.error, now: now) }
        }
    }

    /// Changes the host's health, and holds the host's requests until the wait that results.
    private func change(_ host: String, _ work: (inout HostHealth) -> Void) {
        let waitEnd = health.withLock { health in
            work(&health)
            return health.waitEnd(host)
        }
        scheduler.hold(host, until: waitEnd)
    }
}

/// One request with the state of all its attempts.
package struct Fetch: Sendable {
    package enum Step: Sendable {
        case answered(HTTPResponse)
        /// The request is retried after a pause. Its slot stays reserved if the host itself may need the pause, which
        /// is so unless the host was silent.
        case retry(after: Duration, reservingSlot: Bool)
        /// The request is sent again at once: to a redirect's target, or for the whole body.
        case requeue
    }

    var machine: RequestMachine
    var body: ResumingSink
    private let sink: any BodySink
    private let meter: ByteMeter?

    /// The origin of the next attempt.
    package var origin: String { machine.request.origin }

    /// What the last attempt revealed about its host.
    package var signal: HostConcurrency.Signal { body.signal }

    init(_ request: HTTPRequest, into sink: any BodySink, _ rules: FetchRules, _ meter: ByteMeter?) {
        machine = RequestMachine(request, rules)
        body = ResumingSink(into: sink, of: machine.request, meter: meter)
        self.sink = sink
        self.meter = meter
    }

    /// Discards the beginning of the body, so that the next attempt requests the whole body.
    mutating func forgetBody() {
        body = ResumingSink(into: sink, of: machine.request, meter: meter, signal: body.signal)
    }
}
