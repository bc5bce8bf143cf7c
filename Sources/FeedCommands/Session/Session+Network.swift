import FeedCore

/// Makes the client of a command.
extension Session {
    /// Checks the files that a client needs before it is made. `own` are the settings of the run's feeds.
    func requireTrust(for own: [Settings]) throws(FeedError) {
        for feed in own { try requireFiles(of: feed) }
        if own.contains(where: \.insecure) {
            notice("--insecure: certificates are not verified, so any server is accepted")
        }
    }

    /// Makes the client. It prints nothing, because it runs at the same time as the opening of the cache, which may.
    func makeTransport() throws(FeedError) -> any HTTPClient { try world.makeClient(settings.network) }

    /// Runs `run` with a fetcher that ends its requests when `--max-time` has passed. The wait for another run does not
    /// count, because `--lock-wait` limits it.
    func fetching<Outcome, Failure: Error>(
        through transport: any HTTPClient, files: (any HTTPClient)? = nil, spent: Duration = .zero,
        meter: ByteMeter? = nil, mostJobs: Int = .max,
        _ run: (Fetcher) async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let tellRetry: Fetcher.RetryTeller = { url, error, pause in
            detail(LogLine(retryOf: url, after: error, in: pause))
        }
        func fetcher(_ deadline: Deadline?) -> Fetcher {
            Fetcher(
                transport, files: files ?? world.content, rules: rules(retries: settings.retries, mostJobs: mostJobs),
                clockwork: .real(from: now()), deadline: deadline, meter: meter,
                tellingRetries: settings.verbosity == .verbose ? tellRetry : nil)
        }
        guard let limit = settings.maxTime else { return try await run(fetcher(nil)) }
        let deadline = Deadline(reason: .connectivity("not finished within --max-time \(Phrases.seconds(limit))"))
        return try await deadline.passing(after: max(.zero, limit - spent)) { () async throws(Failure) in
            try await run(fetcher(deadline))
        }
    }

    /// Runs work that `--max-time` limits, and cancels it when the time has passed. `used` is the time that has passed
    /// before.
    func withinMaxTime<Outcome: Sendable>(
        _ what: String, used: Duration, _ work: @escaping @Sendable () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let limit = settings.maxTime else { return try await work() }
        let reason = "\(what) was not finished within --max-time \(Phrases.seconds(limit)); the next run completes it"
        let deadline = Deadline(reason: .storage(.failed, reason))
        return try await deadline.passing(after: max(.zero, limit - used)) { () async throws(FeedError) in
            try await deadline.limit(work)
        }
    }

    func rules(retries: Int, mostJobs: Int = .max) -> FetchRules {
        FetchRules(
            retry: RetryPolicy(retries: retries), maxRedirects: settings.maxRedirects,
            allowsPrivate: settings.allowPrivate, jobs: min(settings.jobs, mostJobs), perHost: settings.ownMaxPerHost,
            route: settings.network.route)
    }

    /// Checks that the files can be read. Without them, a request would fail as if the server were unreachable, or
    /// would be sent without its password. Each request reads them again, which is impossible with a pipe.
    private func requireFiles(of own: Settings) throws(FeedError) {
        var files = [("--cacert", own.caFile), ("--netrc-file", own.netrcFile)]
        // The default file is optional.
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
