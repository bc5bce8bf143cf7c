/// Follows redirects where they may go: over http and https, a limited number of times.
///
/// It is the domain that follows them, not the HTTP library, because each hop is a decision: a remote server must never
/// make feedsync read a local file, and what was meant for one origin must not reach another.
///
/// | on a redirect | what goes along                                                                            |
/// |---------------|--------------------------------------------------------------------------------------------|
/// | secrets       | within their own origin alone; gone for good once they are not at it, also on the way back |
/// | a URL's own   | nowhere: the target may name its own                                                       |
/// | credentials   |                                                                                            |
/// | validators    | anywhere: they tell nothing but what was had before                                        |
/// | addresses     | to public ones alone, unless the server is of a network of one's own, or private ones are  |
/// |               | allowed                                                                                    |
package final class RedirectFollower: HTTPClient {
    private let client: any HTTPClient
    private let limit: Int
    private let allowsPrivate: Bool

    package init(_ client: any HTTPClient, limit: Int, allowsPrivate: Bool = false) {
        self.client = client
        self.limit = limit
        self.allowsPrivate = allowsPrivate
    }

    package var executors: [any TaskExecutor] { client.executors }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let asked = request
        var request = request
        let limit = request.manner?.maxRedirects ?? limit
        let allowsPrivate = request.manner?.allowsPrivate ?? allowsPrivate
        var isPermanent = true
        for _ in 0...max(0, limit) {
            if request.secrets != nil { request.secrets = request.secretsToSend }
            var response = try await client.get(request, into: sink)
            guard HTTPStatus.redirects.contains(response.head.status), let target = response.redirectTarget else {
                if request.url != asked.url {
                    let leavesSecrets = asked.hasSecretsToSend && !request.hasSecretsToSend
                    response.wasRedirected(
                        to: request.url, permanently: isPermanent, leavingSecrets: leavesSecrets)
                }
                return response
            }
            if !HTTPStatus.permanentRedirects.contains(response.head.status) { isPermanent = false }
            request.url = try Self.check(target, from: request.url, response.head.status)
            if !response.isFromPrivateAddress, !allowsPrivate { request.addresses = .publicOnly }
        }
        let redirects = limit == 1 ? "1 redirect" : "\(limit) redirects"
        throw .invalidData("more than \(redirects) (see --max-redirs)", host: request.url.hostAndPort)
            .dependingOnSettings()
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
