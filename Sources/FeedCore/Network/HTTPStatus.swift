/// Says what a status means.
///
/// Only this type tells a wrong response from a server that is unavailable.
enum HTTPStatus {
    static let ok = 200
    static let partialContent = 206
    static let notModified = 304
    static let notFound = 404
    static let rangeNotSatisfiable = 416
    static let redirects = [300, 301, 302, 303, 307, 308]
    static let permanentRedirects = [301, 308]
    private static let passing = [408, 425, 429]
    private static let busy = [429, 503]

    /// Whether the host asks for fewer requests.
    static func isBusy(_ status: Int) -> Bool { busy.contains(status) }

    /// Whether the server is unavailable, so that the response says nothing about the resource.
    ///
    /// `AttemptFailure` decides whether a retry may help.
    static func isConnectivity(_ status: Int) -> Bool { passing.contains(status) || (500...599).contains(status) }

    /// Returns the error for a response with an unwanted status.
    ///
    /// The redirect's target varies between images that fail for one cause, so that it is an addition; missing secrets
    /// are the same for all, so that they are a hint.
    static func failure(_ response: HTTPResponse, askedFor url: ResourceURL) -> FeedError {
        var error = failure(response.head.status, at: response.redirectedURL ?? url)
        error.retryAfter = response.head.retryAfter
        if let proxy = response.askingProxy {
            error = error.saying("the proxy \(proxy) asks for a user name and password (HTTP \(response.head.status))")
        }
        guard let target = response.redirectedURL else { return error }
        error = error.adding(", redirected to \(target.withoutQuery)")
        guard error.isRefusal, response.hasDroppedSecrets, let host = target.hostAndPort else { return error }
        return error.hinting("no credentials were sent to \(target.scheme.rawValue)://\(host)")
    }

    /// Returns the error for an unwanted status of the server at this URL.
    static func failure(_ status: Int, at url: ResourceURL) -> FeedError {
        let message = "the server answered HTTP \(status)"
        if isConnectivity(status) {
            return .connectivity(message, status: status, host: url.hostAndPort)
        }
        return .invalidData(message, status: status, host: url.hostAndPort)
    }
}
