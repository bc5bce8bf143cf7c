import FeedCore
import Synchronization

/// Tells a monitor that a run begins and how it ended, as healthchecks.io has it. It takes little time, and a failing ping
/// does not fail the run.
final class Ping: Sendable {
    private static let limit = Duration.seconds(10)
    /// For the last ping of a run that was stopped or has used up its time, and that ends within five seconds.
    private static let hurriedLimit = Duration.seconds(3)
    private static let mostBytes: Int64 = 100_000

    private let url: ResourceURL
    private let session: Session
    /// The last ping mostly fails for the same reason as the first, which is told once.
    private let told = Mutex<Set<String>>([])

    init(url: ResourceURL, session: Session) {
        self.url = url
        self.session = session
    }

    func start() async { await send("start", retries: 0) }

    /// It is sent also when the run was stopped, or the monitor would raise a false alarm. A run that is stopped while it
    /// is sent ends at once.
    func end(_ exitCode: Int32, isHurried: Bool) async {
        guard Task.isCancelled else {
            return await send("\(exitCode)", retries: 2, within: isHurried ? Self.hurriedLimit : Self.limit)
        }
        await uncancelled { await self.send("\(exitCode)", retries: 2, within: Self.hurriedLimit) }
    }

    private func send(_ word: String, retries: Int, within limit: Duration = Ping.limit) async {
        do {
            let target = try target(word)
            let deadline = Deadline(reason: .connectivity("no answer within \(Phrases.seconds(limit)) seconds"))
            let fetcher = try fetcher(retries: retries, until: deadline)
            let response = try await deadline.passing(after: limit) {
                try await fetcher.get(HTTPRequest(url: target, maxBytes: Self.mostBytes), into: NoBody())
            }
            guard !(200..<300).contains(response.head.status) else { return }
            tell("HTTP \(response.head.status)")
        } catch let error as FeedError {
            if !error.isCancellation { tell(error.message) }
        } catch {
            tell("\(error)")
        }
    }

    /// It gets less time than a run's requests: nobody is to wait for it.
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

    /// Names the host alone: whoever knows the whole URL can ping in our name.
    private func tell(_ reason: String) {
        guard told.withLock({ $0.insert(reason).inserted }) else { return }
        session.notice("the ping to \(url.host ?? "") failed: \(reason)", "ping_failed")
    }
}

private final class NoBody: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
