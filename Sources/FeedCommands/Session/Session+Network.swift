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

    /// It says nothing, as it may be made beside what does.
    func makeTransport() throws(FeedError) -> any HTTPClient { try world.makeClient(settings.network) }

    /// Hands out a fetcher that asks nobody after `--max-time`. Waiting for another run is not counted: that has a limit of
    /// its own.
    func fetching<Outcome, Failure: Error>(
        through transport: any HTTPClient, files: (any HTTPClient)? = nil, spent: Duration = .zero,
        meter: ByteMeter? = nil, _ run: (Fetcher) async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let tellRetry: Fetcher.RetryTeller = { url, error, pause in
            detail(LogLine(retryOf: url, after: error, in: pause))
        }
        func fetcher(_ deadline: Deadline?) -> Fetcher {
            Fetcher(
                transport, files: files ?? world.content, rules: rules(retries: settings.retries),
                clockwork: .real, deadline: deadline, meter: meter,
                tellingRetries: settings.verbosity == .verbose ? tellRetry : nil)
        }
        guard let limit = settings.maxTime else { return try await run(fetcher(nil)) }
        let deadline = Deadline(reason: .connectivity("not done within --max-time \(Phrases.seconds(limit))"))
        return try await deadline.passing(after: max(.zero, limit - spent)) { () async throws(Failure) in
            try await run(fetcher(deadline))
        }
    }

    func rules(retries: Int) -> FetchRules {
        FetchRules(
            retry: RetryPolicy(retries: retries), maxRedirects: settings.maxRedirects,
            allowsPrivate: settings.allowPrivate, jobs: settings.jobs, perHost: settings.maxPerHost,
            route: settings.network.route)
    }

    /// Without them a request would fail as if the server were out of reach, or go without its credentials. Each request
    /// reads them: a pipe would give them to the first, or keep it waiting for somebody who writes.
    private func requireFiles(of own: Settings) throws(FeedError) {
        var files = [("--cacert", own.caFile), ("--netrc-file", own.netrcFile)]
        // There needn't be one at the usual place.
        if own.netrc, own.netrcFile == nil, let home = world.home, world.fileExists("\(home)/.netrc") {
            files.append(("--netrc", "\(home)/.netrc"))
        }
        for case (let option, let path?) in files {
            guard let reason = world.unreadable(path) else { continue }
            guard world.fileExists(path) else { throw .notFound("\(option): there is no such file: \(path)") }
            throw .notFound("\(option): \(path) can't be read as a file: \(reason)")
        }
    }
}
