/// How many requests may be in flight to one host. It starts as browsers do, grows where the host takes many on one
/// connection, and gives way to a host that says it is busy, as TCP does to a network.
///
/// | what a request tells of its host | what follows                                                                  |
/// |----------------------------------|-------------------------------------------------------------------------------|
/// | nothing: it was never answered   | nothing                                                                       |
/// | answered over HTTP/2             | the share may grow up to 100, unless a number was asked for                   |
/// | answered                         | the share grows by one, as long as the host was never busy; later it does so  |
/// |                                  | with each full round: a dozen answers in a row, or as many as it has places   |
/// | busy: 429 or 503                 | the share is halved, at least to one, once for all that set out before that   |
package struct HostConcurrency: Sendable {
    package enum News: Hashable, Sendable {
        case nothing
        case answered(isMultiplexed: Bool)
        case busy
    }

    private static let streams = 100
    private static let leastRound = 12

    package private(set) var places: Int
    /// Tells requests that set out before the share was last halved from those that did later.
    package private(set) var halvings = 0
    private let asked: Int?
    private var most: Int
    /// Since the share last changed.
    private var answers = 0

    /// `asked` is a number for every host; nil: as its protocol has it.
    package init(asked: Int?) {
        self.asked = asked
        places = max(1, asked ?? NetworkSettings.connectionsPerHost)
        most = places
    }

    /// What came of a request that set out when there had been so many `halvings`.
    package mutating func learn(_ news: News, since halvings: Int) {
        switch news {
        case .nothing: break
        case .answered(let isMultiplexed):
            if asked == nil {
                most = isMultiplexed ? Self.streams : NetworkSettings.connectionsPerHost
                places = min(places, most)
            }
            guard places < most else { return }
            answers += 1
            guard self.halvings == 0 || answers >= max(Self.leastRound, places) else { return }
            answers = 0
            places += 1
        case .busy:
            guard halvings == self.halvings else { return }
            self.halvings += 1
            answers = 0
            places = (places + 1) / 2
        }
    }
}
