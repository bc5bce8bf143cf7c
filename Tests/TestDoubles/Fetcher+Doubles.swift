package import FeedCore

extension Fetcher {
    /// Makes a fetcher that asks a double, for files too.
    ///
    /// By default, it has no retries and no waits.
    package convenience init(
        asking client: any HTTPClient, rules: FetchRules = FetchRules(),
        clockwork: TimeSource = .real,
        deadline: Deadline? = nil, tellingRetries tellRetry: RetryTeller? = nil
    ) {
        self.init(
            client, files: client, rules: rules, clockwork: clockwork, deadline: deadline,
            tellingRetries: tellRetry)
    }
}
