package import FeedCore

extension Fetcher {
    /// Asks a double, for files too. By itself it tries nothing twice and never has to wait.
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
