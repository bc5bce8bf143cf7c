import FeedCore

/// The client that a command asks servers with.
extension Session {
    /// To be called before a client is made: what servers are asked with has to be there. `own` are the settings of the
    /// feeds of a run.
    func requireTrust(for own: [Settings]) throws(FeedError) {
        for feed in own { try requireFiles(of: feed) }
        if own.contains(where: \.insecure) {
            notice("--insecure: certificates are not checked, so whoever answers is believed")
        }
    }

    /// For all feeds of a run. Says nothing, as it may take its time beside what does.
    func makeClient(of feeds: [ResourceURL] = [], meter: ByteMeter? = nil) throws(FeedError) -> any HTTPClient {
        var network = settings.network
        network.isPlain = !feeds.isEmpty && feeds.allSatisfy { $0.scheme == .http }
        // A request that waits for its next try holds no place, and each hop of a redirect is tried again by itself.
        let bare = try toolbox.makeClient(network)
        let metered: any HTTPClient = meter.map { MeteredHTTPClient(bare, meter: $0) } ?? bare
        let limited = HostLimiter(metered, perHost: settings.maxPerHost)
        let tellRetry: RetryingClient.RetryTeller = { url, error, pause in
            detail(LogLine(retryOf: url, after: error, in: pause))
        }
        let retrying = RetryingClient(
            limited, policy: RetryPolicy(retries: settings.retries), clockwork: .real(now: now), route: network.route,
            tellingRetries: settings.verbosity == .verbose ? tellRetry : nil)
        return RedirectFollower(retrying, limit: settings.maxRedirects, allowsPrivate: settings.allowPrivate)
    }

    /// Hands out a client that asks nobody after `--max-time`. Waiting for another run is not counted: that has a limit
    /// of its own.
    func limited<Outcome, Failure: Error>(
        _ client: any HTTPClient, spent: Duration = .zero, _ run: (any HTTPClient) async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        guard let limit = settings.maxTime, let seconds = ValueSyntax<Duration>.seconds.write(limit) else {
            return try await run(client)
        }
        let deadline = Deadline(reason: .connectivity("not done within --max-time \(seconds)"))
        return try await deadline.passing(after: max(.zero, limit - spent)) { () async throws(Failure) in
            try await run(PunctualHTTPClient(client, until: deadline))
        }
    }

    /// Without them a request would fail as if the server were out of reach, or go without its credentials. Each request
    /// reads them: a pipe would give them to the first, or keep it waiting for somebody who writes.
    private func requireFiles(of own: Settings) throws(FeedError) {
        var files = [("--cacert", own.caFile), ("--netrc-file", own.netrcFile)]
        // There needn't be one at the usual place.
        if own.netrc, own.netrcFile == nil, let home = surroundings.home, surroundings.fileExists("\(home)/.netrc") {
            files.append(("--netrc", "\(home)/.netrc"))
        }
        for case (let option, let path?) in files {
            guard let reason = surroundings.unreadable(path) else { continue }
            guard surroundings.fileExists(path) else { throw .notFound("\(option): there is no such file: \(path)") }
            throw .notFound("\(option): \(path) can't be read as a file: \(reason)")
        }
    }

    /// Short of breath, as nobody is to wait for it.
    func makePingClient(retries: Int) throws(FeedError) -> any HTTPClient {
        var network = settings.network
        network.connectTimeout = .seconds(5)
        network.idleTimeout = Ping.limit
        network.rateLimit = nil
        let retrying = RetryingClient(
            try toolbox.makeClient(network), policy: RetryPolicy(retries: retries), clockwork: .real(now: now))
        return RedirectFollower(retrying, limit: settings.maxRedirects, allowsPrivate: settings.allowPrivate)
    }
}
