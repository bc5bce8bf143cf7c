import FeedCore
import Synchronization

/// Pings a monitor at the start and the end of a run, by the convention of healthchecks.io. A ping takes little time,
/// and a failed ping does not fail the run.
final class Ping: Sendable {
    private static let limit = Duration.seconds(10)
    /// The limit for the last ping of a run that was stopped or has used up its time, because such a run ends within
    /// five seconds.
    private static let hurriedLimit = Duration.seconds(3)
    private static let mostBytes: Int64 = 100_000

    private let url: ResourceURL
    private let session: Session
    /// The reasons that were already reported. The last ping usually fails for the same reason as the first.
    private let reported = Mutex<Set<String>>([])

    init(url: ResourceURL, session: Session) {
        self.url = url
        self.session = session
    }

    func start() async { await send("start", retries: 0) }

    /// Sends the last ping, also after the run was stopped, because the monitor would otherwise raise a false alarm. If
    /// the run is stopped during the ping, the ping ends at once.
    func end(_ exitCode: Int32, isHurried: Bool) async {
        guard Task.isCancelled else {
            return await send("\(exitCode)", retries: 2, within: isHurried ? Self.hurriedLimit : Self.limit)
        }
        await uncancelled { await self.send("\(exitCode)", retries: 2, within: Self.hurriedLimit) }
    }

    private func send(_ word: String, retries: Int, within limit: Duration = Ping.limit) async {
        do {
            let target = try target(word)
            let deadline = Deadline(reason: .connectivity("no response within \(Phrases.seconds(limit)) seconds"))
            let fetcher = try fetcher(retries: retries, until: deadline)
            let response = try await deadline.passing(after: limit) {
                try await fetcher.get(HTTPRequest(url: target, maxBytes: Self.mostBytes), into: NoBody())
            }
            guard !(200..<300).contains(response.head.status) else { return }
            reportFailure("HTTP \(response.head.status)")
        } catch let error as FeedError {
            if !error.isCancellation { reportFailure(error.message) }
        } catch {
            reportFailure("\(error)")
        }
    }

    /// Makes a fetcher with shorter time limits than those of the run.
    private func fetcher(retries: Int, until deadline: Deadline) throws(FeedError) -> Fetcher {
        var network = session.settings.network
        network.connectTimeout = .seconds(5)
        network.idleTimeout = Self.limit
        network.rateLimit = nil
        return Fetcher(
            try session.world.makeClient(network), files: session.world.content, rules: session.rules(retries: retries),
            clockwork: .real, deadline: deadline)
    }

    private func target(_ word: String) throws(InvalidURL) -> ResourceURL {
        var base = url.text
        while base.hasSuffix("/") { base.removeLast() }
        return try ResourceURL("\(base)/\(word)", credentials: url.credentials)
    }

    /// Reports a failed ping. The line contains only the host, because the whole URL is a secret.
    private func reportFailure(_ reason: String) {
        guard reported.withLock({ $0.insert(reason).inserted }) else { return }
        session.notice("the ping to \(url.host ?? "") failed: \(reason)", "ping_failed")
    }
}

private final class NoBody: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
