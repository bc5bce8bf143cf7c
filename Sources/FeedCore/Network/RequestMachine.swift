/// One request on its way to an answer, through redirects and further tries: what came of a try goes in, what to do next
/// comes out. It asks nobody, waits for nothing and rolls no dice.
///
/// | event                                         | next step                                                 |
/// |-----------------------------------------------|-----------------------------------------------------------|
/// | a redirect with a target, within the limit    | ask there, with all tries anew                            |
/// | a redirect beyond the limit, or to a place    | failed                                                    |
/// | that no server may name                       |                                                           |
/// | any other answer                              | done                                                      |
/// | a failure that passes, with tries left        | wait as `RetryPolicy` says, then ask again; after silence |
/// |                                               | on a new connection                                       |
/// | any other failure                             | done if an answer says it, else failed                    |
///
/// | on a redirect | what goes along                                                                            |
/// |---------------|--------------------------------------------------------------------------------------------|
/// | secrets       | within their own origin alone; gone for good once they are not at it, also on the way back |
/// | a URL's own   | nowhere: the target may name its own                                                       |
/// | credentials   |                                                                                            |
/// | ETag          | anywhere: the target knows its own                                                         |
/// | Last-Modified | from http to https at the same URL alone: that one URL changed later than another says     |
/// |               | nothing. For the same reason none comes back from another URL                              |
/// | addresses     | to public ones alone, unless the server is of a network of one's own, or private ones are  |
/// |               | allowed                                                                                    |
package struct RequestMachine: Sendable {
    package enum Step: Hashable, Sendable {
        case ask
        case wait(Duration)
        case done(HTTPResponse)
        case failed(FeedError)
    }

    /// As it is asked next.
    package private(set) var request: HTTPRequest
    package let retry: RetryPolicy
    private let asked: HTTPRequest
    private let maxRedirects: Int
    private let allowsPrivate: Bool
    private var attempt = 0
    private var redirects = 0
    /// How many redirects at the beginning are permanent.
    private var permanentRedirects = 0
    /// The target of the permanent redirects at the beginning.
    private var movedTo: ResourceURL?
    private var hasLeftURL = false
    private let isInsecure: Bool
    /// What the requests that have ended touched.
    private var circumstances = RequestCircumstances()

    /// A request's own manner comes before the rules of the run.
    package init(_ request: HTTPRequest, _ rules: FetchRules) {
        asked = request
        self.request = request
        let manner = request.manner
        retry = rules.retry.trying(manner?.retries)
        maxRedirects = max(0, manner?.maxRedirects ?? rules.maxRedirects)
        allowsPrivate = manner?.allowsPrivate ?? rules.allowsPrivate
        isInsecure = (manner?.network.route ?? rules.route)?.isInsecure ?? false
        keepSecretsAtHome()
    }

    package mutating func answered(_ response: HTTPResponse) -> Step {
        note(response.circumstances)
        guard HTTPStatus.redirects.contains(response.head.status), let target = response.redirectTarget else {
            return final(response)
        }
        guard redirects < maxRedirects else {
            let limit = maxRedirects == 1 ? "1 redirect" : "\(maxRedirects) redirects"
            return .failed(
                .invalidData("more than \(limit) (see --max-redirs)", host: request.url.hostAndPort)
                    .dependingOnSettings().touching(circumstances))
        }
        do throws(FeedError) {
            let next = try Self.check(target, from: request.url, response.head.status)
            if !next.isSecured(request.url) { leaveURL() }
            request.url = next
        } catch {
            return .failed(error.touching(circumstances))
        }
        if HTTPStatus.permanentRedirects.contains(response.head.status), redirects == permanentRedirects {
            permanentRedirects += 1
            movedTo = request.url
        }
        redirects += 1
        attempt = 0
        request.connectsAnew = false
        if !response.isFromPrivateAddress, !allowsPrivate { request.addresses = .publicOnly }
        keepSecretsAtHome()
        return .ask
    }

    /// `response` is the answer that the failure lies in, if it lies in one; `random` lies in `0..<1`.
    package mutating func failed(_ failure: AttemptFailure, _ response: HTTPResponse?, random: Double) -> Step {
        note(failure.error.circumstances)
        switch retry.action(after: failure, attempt: attempt, random: random) {
        case .retry(let pause):
            attempt += 1
            // Over HTTP/2 the connection stays open as long as another request uses it, and may be dead all the same.
            request.connectsAnew = failure.isSilence
            return .wait(pause)
        case .giveUp:
            guard let response else { return .failed(failure.error.touching(circumstances)) }
            return .done(withJourney(response))
        }
    }

    /// Whether another try would follow this failure. Chance decides when, never whether.
    package func wouldRetry(after failure: AttemptFailure) -> Bool {
        retry.action(after: failure, attempt: attempt, random: 0) != .giveUp
    }

    /// The request has ended; `circumstances` is what the transport knows of it.
    private mutating func note(_ circumstances: RequestCircumstances) {
        var all = self.circumstances.adding(circumstances)
        if request.hasSecretsToSend { all.usedSecrets = true }
        if isInsecure, request.url.scheme == .https { all.isUnverified = true }
        self.circumstances = all
    }

    private mutating func leaveURL() {
        hasLeftURL = true
        request.validators = Validators(etag: request.validators.etag)
    }

    /// A 304 means nothing if a redirect has made the request unconditional.
    private func final(_ response: HTTPResponse) -> Step {
        let response = withJourney(response)
        guard response.head.status == HTTPStatus.notModified, request.validators.isEmpty, !asked.validators.isEmpty
        else { return .done(response) }
        return .failed(HTTPStatus.failure(response, askedFor: asked.url))
    }

    private mutating func keepSecretsAtHome() {
        if request.secrets != nil { request.secrets = request.secretsToSend }
    }

    private func withJourney(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.circumstances = circumstances
        if hasLeftURL { response.head[.lastModified] = nil }
        guard redirects > 0, request.url != asked.url else { return response }
        let leavesSecrets = asked.hasSecretsToSend && !request.hasSecretsToSend
        response.wasRedirected(to: request.url, movedTo: movedTo, leavingSecrets: leavesSecrets)
        return response
    }

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
    /// Whether this is the https URL of an http URL that is the same in all else.
    fileprivate func isSecured(_ other: ResourceURL) -> Bool {
        other.scheme == .http && scheme == .https && text.utf8.dropFirst(5).elementsEqual(other.text.utf8.dropFirst(4))
    }
}

/// What holds for the requests of a run that have no manner of their own.
package struct FetchRules: Sendable {
    package var retry: RetryPolicy
    package var maxRedirects: Int
    package var allowsPrivate: Bool
    /// Requests in flight at once.
    package var jobs: Int
    /// Of them to one origin; nil: as its protocol has it.
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
