/// Decides how many requests may be in flight to one host.
///
/// The limit starts as in browsers, grows where the host takes many requests on one connection, and shrinks when the
/// host is busy, as TCP's congestion window does.
///
/// | signal of a request  | effect on the limit                                                              |
/// |----------------------|----------------------------------------------------------------------------------|
/// | nothing              | it stays                                                                         |
/// | answered over HTTP/2 | it may grow up to 100, unless the user has set a number                          |
/// | answered             | it grows by one while the host has never been busy; later it grows by one after  |
/// |                      | as many responses as the limit is, and twelve at least                           |
/// | busy: 429 or 503     | it is halved, down to one at least, once for all requests that started before    |
package struct HostConcurrency: Sendable {
    /// What a request reveals about its host.
    package enum Signal: Hashable, Sendable {
        /// The host has sent no response.
        case nothing
        case answered(isMultiplexed: Bool)
        case busy
    }

    private static let multiplexedLimit = 100
    private static let fewestResponses = 12

    package private(set) var limit: Int
    /// How often the limit was halved.
    ///
    /// It tells requests that started before the last halving from later ones.
    package private(set) var halvings = 0
    private let fixedLimit: Int?
    private var maximum: Int
    /// The number of responses since the limit last changed.
    private var responses = 0

    /// Creates the initial limit.
    ///
    /// `fixedLimit` is a number that the user has set for every host. Without it, the protocol decides.
    package init(fixedLimit: Int?) {
        self.fixedLimit = fixedLimit
        limit = max(1, fixedLimit ?? NetworkSettings.connectionsPerHost)
        maximum = limit
    }

    /// Adjusts the limit to the signal of a request.
    ///
    /// `halvings` is the count when the request started.
    package mutating func record(_ signal: Signal, since halvings: Int) {
        switch signal {
        case .nothing: break
        case .answered(let isMultiplexed):
            if fixedLimit == nil {
                maximum = isMultiplexed ? Self.multiplexedLimit : NetworkSettings.connectionsPerHost
                limit = min(limit, maximum)
            }
            guard limit < maximum else { return }
            responses += 1
            guard self.halvings == 0 || responses >= max(Self.fewestResponses, limit) else { return }
            responses = 0
            limit += 1
        case .busy:
            guard halvings == self.halvings else { return }
            self.halvings += 1
            responses = 0
            limit = (limit + 1) / 2
        }
    }
}
