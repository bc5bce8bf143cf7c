import Synchronization

/// Tries again what failed in passing, as `RetryPolicy` has it, and leaves hosts alone as `HostHealth` has it; what was
/// cut off is gone on with, as `ResumingSink` has it.
///
/// One for a run: what a request learns of a host holds for all of them. A wait holds nothing but the request itself, so
/// what limits requests in flight belongs below this.
package final class RetryingClient: HTTPClient {
    /// What the waiting depends on, to be replaced in tests.
    package struct Clockwork: Sendable {
        /// A clock that never jumps.
        package var uptime: @Sendable () -> Timestamp
        /// What dates in `Retry-After` are compared with.
        package var now: @Sendable () -> Timestamp
        /// In `0..<1`.
        package var random: @Sendable () -> Double
        package var sleep: @Sendable (Duration) async throws -> Void

        package init(
            uptime: @escaping @Sendable () -> Timestamp, now: @escaping @Sendable () -> Timestamp,
            random: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (Duration) async throws -> Void
        ) {
            self.uptime = uptime
            self.now = now
            self.random = random
            self.sleep = sleep
        }

        package static func real(now: @escaping @Sendable () -> Timestamp) -> Clockwork {
            let start = ContinuousClock.now
            return Clockwork(
                uptime: { Timestamp(microseconds: 0) + (ContinuousClock.now - start) }, now: now,
                random: { Double.random(in: 0..<1) }, sleep: { try await Task.sleep(for: $0) })
        }
    }

    /// Told of a try that failed and is followed by another, after a pause.
    package typealias RetryTeller = @Sendable (_ url: ResourceURL, _ error: FeedError, _ pause: Duration) -> Void

    private let client: any HTTPClient
    private let policy: RetryPolicy
    private let clockwork: Clockwork
    private let route: NetworkSettings.Route?
    private let tellRetry: RetryTeller?
    private let health: Mutex<HostHealth>

    /// `route` is that of requests that have no manner of their own.
    package init(
        _ client: any HTTPClient, policy: RetryPolicy, clockwork: Clockwork, route: NetworkSettings.Route? = nil,
        tellingRetries tellRetry: RetryTeller? = nil
    ) {
        self.client = client
        self.policy = policy
        self.clockwork = clockwork
        self.route = route
        self.tellRetry = tellRetry
        health = Mutex(HostHealth(longestPause: policy.longestHostPause))
    }

    package var executors: [any TaskExecutor] { client.executors }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        guard request.url.isRemote else { return try await client.get(request, into: sink) }
        let origin = place(of: request)
        let policy = policy.trying(request.manner?.retries)
        let body = ResumingSink(into: sink, of: request)
        var attempt = 0
        while true {
            let round = try await turn(at: origin, for: sink, policy)
            switch await tryOnce(body, at: request.url, attempt, policy) {
            case .answered(let response):
                health.withLock { $0.answered(origin) }
                return response
            case .startOver:
                health.withLock { $0.answered(origin) }
            case .failed(let failure, let response):
                let action = policy.action(after: failure, attempt: attempt, random: clockwork.random())
                learn(from: failure, hasAnswered: body.hasAnswered, at: origin, in: round, action)
                guard case .retry(let wait) = action else {
                    // That it asks to wait for too long says more than its status.
                    if let error = refusal(of: failure, at: origin, policy) { throw error }
                    guard let response else { throw failure.error }
                    return response
                }
                tellRetry?(request.url, failure.error, wait)
                try await sleep(wait, failure.isSilence ? .ofRequest : .ofHost, sink)
                attempt += 1
            }
        }
    }

    /// What its host's health is known by. Through another proxy, or by another trust, a host is another: it may answer
    /// there though it can't be reached here.
    private func place(of request: HTTPRequest) -> String {
        guard let own = request.manner?.network.route, own != route else { return request.origin }
        return "\(request.origin) \(own)"
    }

    // MARK: One try

    private enum Outcome {
        case answered(HTTPResponse)
        case startOver
        /// With the answer that the failure lies in, if it lies in one.
        case failed(AttemptFailure, HTTPResponse?)
    }

    private func tryOnce(
        _ body: ResumingSink, at url: ResourceURL, _ attempt: Int, _ policy: RetryPolicy
    ) async -> Outcome {
        let request = body.nextRequest { [self] head in
            guard let failure = failure(in: head, at: url) else { return false }
            // Chance decides when, never whether.
            return policy.action(after: failure, attempt: attempt, random: 0) != .giveUp
        }
        do {
            let response = try await client.get(request, into: body)
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

    /// Nil for an answer that is none that passes.
    private func failure(in head: HTTPHead, at url: ResourceURL) -> AttemptFailure? {
        guard HTTPStatus.isConnectivity(head.status) else { return nil }
        let pause = head[.retryAfter].flatMap { RetryAfter.parse($0, now: clockwork.now()) }
        let failure = AttemptFailure(HTTPStatus.failure(head.status, at: url).at(.transferring), retryAfter: pause)
        return failure.isPassing ? failure : nil
    }

    // MARK: What it means for the host

    /// Returns when a request may start.
    private func turn(
        at origin: String, for sink: any BodySink, _ policy: RetryPolicy
    ) async throws(FeedError) -> HostHealth.Round {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch health.withLock({ $0.verdict(origin, retries: policy.retries, now: clockwork.uptime()) }) {
            case .go(let round): return round
            case .givenUp(let error): throw error
            case .wait(let moment): try await sleep(moment - clockwork.uptime(), .ofHost, sink)
            }
        }
    }

    /// Where the host asked to be left alone for longer than anybody waits.
    private func refusal(
        of failure: AttemptFailure, at origin: String, _ policy: RetryPolicy
    ) -> FeedError? {
        guard let pause = failure.retryAfter, pause > policy.longestHostPause,
            case .givenUp(let error) = health.withLock({
                $0.verdict(origin, retries: policy.retries, now: clockwork.uptime())
            })
        else { return nil }
        return error
    }

    private func learn(
        from failure: AttemptFailure, hasAnswered: Bool, at origin: String, in round: HostHealth.Round,
        _ action: RetryPolicy.Action
    ) {
        let now = clockwork.uptime()
        health.withLock { health in
            if hasAnswered {
                health.answered(origin, isBusy: true)
            } else if failure.isSilence {
                health.wasSilent(origin, in: round, failure.error)
            } else if failure.isFailureToConnect {
                let nextTry: Timestamp? = if case .retry(let wait) = action { now + wait } else { nil }
                health.failedToConnect(origin, in: round, failure.error, nextTry: nextTry)
            }
            if let pause = failure.retryAfter { health.askedToWait(origin, for: pause, failure.error, now: now) }
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
