/// What a status says about an answer: the one place that tells a wrong answer from a server that can't serve now.
enum HTTPStatus {
    static let ok = 200
    static let partialContent = 206
    static let notModified = 304
    static let rangeNotSatisfiable = 416
    static let redirects = [300, 301, 302, 303, 307, 308]
    static let permanentRedirects = [301, 308]
    private static let passing = [408, 425, 429]

    /// Says nothing of what was asked for, only that the server can't serve it now. Whether another try may help is
    /// `AttemptFailure`'s affair.
    static func isConnectivity(_ status: Int) -> Bool { passing.contains(status) || (500...599).contains(status) }

    /// The error that a status other than the wanted one is.
    static func failure(_ status: Int, at url: ResourceURL) -> FeedError {
        let message = "the server answered HTTP \(status)"
        if isConnectivity(status) {
            return .connectivity(message, status: status, host: url.hostAndPort)
        }
        return .invalidData(message, status: status, host: url.hostAndPort)
    }
}
