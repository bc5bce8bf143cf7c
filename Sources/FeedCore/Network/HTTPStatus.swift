/// What a status says about an answer: the one place that tells a wrong answer from a server that can't serve now.
enum HTTPStatus {
    static let ok = 200
    static let partialContent = 206
    static let notModified = 304
    static let rangeNotSatisfiable = 416
    static let redirects = [300, 301, 302, 303, 307, 308]
    static let permanentRedirects = [301, 308]
    private static let passing = [408, 425, 429]
    private static let busy = [429, 503]

    /// Asks for fewer requests.
    static func isBusy(_ status: Int) -> Bool { busy.contains(status) }

    /// Says nothing of what was asked for, only that the server can't serve it now. Whether another try may help is
    /// `AttemptFailure`'s affair.
    static func isConnectivity(_ status: Int) -> Bool { passing.contains(status) || (500...599).contains(status) }

    /// The error that an answer with another status than the wanted one is, wherever the request was redirected to. Where
    /// that is differs from image to image of one cause; that no secrets went there doesn't.
    static func failure(_ response: HTTPResponse, askedFor url: ResourceURL) -> FeedError {
        var error = failure(response.head.status, at: response.redirectedURL ?? url)
            .touching(response.circumstances)
        error.retryAfter = response.head.retryAfter
        if let proxy = response.askingProxy {
            error = error.saying("the proxy \(proxy) asks for a user name and password (HTTP \(response.head.status))")
        }
        guard let place = response.redirectedURL else { return error }
        error = error.adding(", redirected to \(place.withoutQuery)")
        guard error.isRefusal, response.hasLeftSecrets, let host = place.hostAndPort else { return error }
        return error.hinting("no credentials were sent to \(place.scheme.rawValue)://\(host)")
    }

    /// The error that a status other than the wanted one is, of the server at this URL.
    static func failure(_ status: Int, at url: ResourceURL) -> FeedError {
        let message = "the server answered HTTP \(status)"
        if isConnectivity(status) {
            return .connectivity(message, status: status, host: url.hostAndPort)
        }
        return .invalidData(message, status: status, host: url.hostAndPort)
    }
}
