/// Decides the course of one request through redirects and retries: the result of an attempt goes in, the next step
/// comes out.
///
/// It is pure: the caller sends the requests, waits, and draws the random numbers.
///
/// | event                                          | next step                                                  |
/// |------------------------------------------------|------------------------------------------------------------|
/// | a redirect with a valid target, within the     | send to the target, with all retries again                 |
/// | limit                                          |                                                            |
/// | a redirect beyond the limit, or to a URL that  | failed                                                     |
/// | servers may not name                           |                                                            |
/// | any other response                             | done                                                       |
/// | a failure that passes, with retries left       | wait as `RetryPolicy` says, then send again; after silence |
/// |                                                | on a new connection                                        |
/// | any other failure                              | done if a response reports it, otherwise failed            |
///
/// | on a redirect     | where it is sent                                                                        |
/// |-------------------|-----------------------------------------------------------------------------------------|
/// | secrets           | to their own origin, until the first redirect that leaves it                            |
/// | a URL's own       | only to this URL; the target may have its own                                           |
/// | credentials       |                                                                                         |
/// | ETag              | everywhere: the target knows its own                                                    |
/// | Last-Modified     | only from http to https of the same URL, because dates of two URLs can't be compared;   |
/// |                   | for the same reason, the date of another URL is dropped from the response               |
/// | address scope     | public addresses only, unless the server has an own-network address, or private ones    |
/// |                   | are allowed                                                                             |
package struct RequestMachine: Sendable {
    package enum Step: Hashable, Sendable {
        case send
        case wait(Duration)
        case done(HTTPResponse)
        case failed(FeedError)
    }

    /// The request of the next attempt.
    package private(set) var request: HTTPRequest
    package let retry: RetryPolicy
    private let original: HTTPRequest
    private let maxRedirects: Int
    private let allowsPrivate: Bool
    private var attempt = 0
    private var redirects = 0
    /// The number of permanent redirects before the first redirect of another kind.
    private var permanentRedirects = 0
    /// The target of these permanent redirects.
    private var movedTo: ResourceURL?
    private var hasChangedURL = false

    /// Begins a request.
    ///
    /// Its own `manner` precedes the rules of the run.
    package init(_ request: HTTPRequest, _ rules: FetchRules) {
        original = request
        self.request = request
        let manner = request.manner
        retry = rules.retry.with(retries: manner?.retries)
        maxRedirects = max(0, manner?.maxRedirects ?? rules.maxRedirects)
        allowsPrivate = manner?.allowsPrivate ?? rules.allowsPrivate
        dropForeignSecrets()
    }

    package mutating func answered(_ response: HTTPResponse) -> Step {
        guard HTTPStatus.redirects.contains(response.head.status), let target = response.redirectTarget else {
            return conclude(response)
        }
        guard redirects < maxRedirects else {
            let limit = maxRedirects == 1 ? "1 redirect" : "\(maxRedirects) redirects"
            return .failed(
                .invalidData("more than \(limit) (see --max-redirs)", host: request.url.hostAndPort)
                    .dependingOnSettings())
        }
        do throws(FeedError) {
            let next = try Self.check(target, from: request.url, response.head.status)
            if !next.isHTTPSVersion(of: request.url) { changeURL() }
            request.url = next
        } catch {
            return .failed(error)
        }
        if HTTPStatus.permanentRedirects.contains(response.head.status), redirects == permanentRedirects {
            permanentRedirects += 1
            movedTo = request.url
        }
        redirects += 1
        attempt = 0
        request.connectsAnew = false
        if !response.isFromPrivateAddress, !allowsPrivate { request.addresses = .publicOnly }
        dropForeignSecrets()
        return .send
    }

    /// Returns the next step after a failure.
    ///
    /// `response` is the response that reports the failure, if one does; `random` lies in `0..<1`.
    package mutating func failed(_ failure: AttemptFailure, _ response: HTTPResponse?, random: Double) -> Step {
        switch retry.action(after: failure, attempt: attempt, random: random) {
        case .retry(let pause):
            attempt += 1
            // An HTTP/2 connection stays open while other requests use it, although it may be dead.
            request.connectsAnew = failure.isSilence
            return .wait(pause)
        case .giveUp:
            guard let response else { return .failed(failure.error) }
            return .done(addingCourse(response))
        }
    }

    /// Returns whether another attempt would follow this failure.
    ///
    /// The random number only decides when.
    package func wouldRetry(after failure: AttemptFailure) -> Bool {
        retry.action(after: failure, attempt: attempt, random: 0) != .giveUp
    }

    /// Drops the date, because the request goes to another URL.
    private mutating func changeURL() {
        hasChangedURL = true
        request.validators = Validators(etag: request.validators.etag)
    }

    /// Ends the request with a response.
    ///
    /// A 304 is a failure if a redirect has made the request unconditional.
    private func conclude(_ response: HTTPResponse) -> Step {
        let response = addingCourse(response)
        guard response.head.status == HTTPStatus.notModified, request.validators.isEmpty, !original.validators.isEmpty
        else { return .done(response) }
        return .failed(HTTPStatus.failure(response, askedFor: original.url))
    }

    /// Drops the secrets for good once the request is at another origin.
    private mutating func dropForeignSecrets() {
        if request.secrets != nil { request.secrets = request.secretsToSend }
    }

    /// Returns the response with what the redirects and attempts add to it.
    private func addingCourse(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        if hasChangedURL { response.head[.lastModified] = nil }
        guard redirects > 0, request.url != original.url else { return response }
        let dropsSecrets = original.hasSecretsToSend && !request.hasSecretsToSend
        response.setRedirect(to: request.url, movedTo: movedTo, droppingSecrets: dropsSecrets)
        return response
    }

    /// Returns the target of a redirect as a URL that servers may name.
    private static func check(
        _ target: String, from url: ResourceURL, _ status: Int
    ) throws(FeedError) -> ResourceURL {
        do {
            let next = try ResourceURL(target)
            if next.isRemote { return next }
        } catch {
            throw .invalidData(
                "redirected to a URL that can't be used: \(error.reason)", status: status, host: url.hostAndPort)
        }
        throw .invalidData(
            "redirected to a local file, which no server may name", status: status, host: url.hostAndPort)
    }
}

extension ResourceURL {
    /// Whether this URL is `other` with https instead of http.
    fileprivate func isHTTPSVersion(of other: ResourceURL) -> Bool {
        other.scheme == .http && scheme == .https && text.utf8.dropFirst(5).elementsEqual(other.text.utf8.dropFirst(4))
    }
}

/// The rules for every request of a run.
///
/// A request's `manner` overrides them.
package struct FetchRules: Sendable {
    package var retry: RetryPolicy
    package var maxRedirects: Int
    package var allowsPrivate: Bool
    /// The number of requests in flight at once.
    package var jobs: Int
    /// The number of requests in flight to one origin; nil lets the protocol decide.
    package var perHost: Int?
    package var route: NetworkSettings.Route?

    package init(
        retry: RetryPolicy = RetryPolicy(retries: 0), maxRedirects: Int = 10, allowsPrivate: Bool = false,
        jobs: Int = 16, perHost: Int? = nil, route: NetworkSettings.Route? = nil
    ) {
        self.retry = retry
        self.maxRedirects = maxRedirects
        self.allowsPrivate = allowsPrivate
        self.jobs = jobs
        self.perHost = perHost
        self.route = route
    }
}
