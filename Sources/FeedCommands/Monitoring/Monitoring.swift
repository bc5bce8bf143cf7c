import FeedCore
import Synchronization

/// Reports the end of a run to monitors: by a ping and a metrics file.
struct Monitoring {
    struct FinishedRun {
        /// The exit code, or the error if the result could not be written.
        let ending: Result<ExitCode, FeedError>
        let report: SyncReport
        /// The contents of the cache at the end of the run, for the metrics.
        let cache: RunMetrics.CacheFigures?
    }

    private let session: Session
    private let ping: Ping?
    private let metricsFile: String?

    init(_ session: Session) {
        self.session = session
        let settings = session.settings
        ping = settings.dryRun ? nil : settings.pingURL.map { Ping(url: $0, session: session) }
        metricsFile = settings.metricsFileToWrite
    }

    func watch(_ perform: () async throws -> FinishedRun) async throws -> ExitCode {
        let start = ContinuousClock.now
        await ping?.start()
        let result = await Result(awaiting: perform)
        let ending: Result<ExitCode, any Error> = result.flatMap { $0.ending.mapError { $0 } }
        var code: ExitCode =
            switch ending {
            case .success(let code): code
            case .failure(let error): ExitCode.of(error)
            }
        do throws(FeedError) {
            try await writeMetrics(result, code, took: ContinuousClock.now - start)
        } catch {
            // The exit code of the run itself comes first, unless only single images failed.
            if code == .ok || code == .incomplete { code = ExitCode.of(error) }
            if !error.isCancellation { session.report(LogLine(error)) }
        }
        let maxTime = session.settings.maxTime
        await ping?.end(status(code), isHurried: maxTime.map { ContinuousClock.now - start >= $0 } ?? false)
        if case .failure(let error) = ending { throw error }
        return code
    }

    /// Returns the exit code of the process, which a signal changes.
    private func status(_ code: ExitCode) -> Int32 {
        session.world.endingSignal.map { 128 + $0 } ?? code.rawValue
    }

    private func writeMetrics(
        _ result: Result<FinishedRun, any Error>, _ code: ExitCode, took duration: Duration
    ) async throws(FeedError) {
        guard let metricsFile else { return }
        let run: FinishedRun?
        switch result {
        case .success(let done): run = done
        // The run that holds the lock will write its own metrics. Until then, the previous ones apply.
        case .failure where code == .locked: return
        case .failure: run = nil
        }
        try session.requireOutsideCache(metricsFile, for: "the metrics file")
        let status = status(code)
        let success = status == 0 ? nil : await earlierSuccess(in: metricsFile)
        let metrics = RunMetrics(
            endedAt: session.now(), duration: duration, exitCode: status, report: run?.report, cache: run?.cache,
            earlierSuccess: success, shard: session.settings.shard.count > 1 ? session.settings.shard : nil)
        try session.world.output.replaceFile(at: metricsFile, with: Array(metrics.text.utf8))
    }

    /// Returns the time of the last success in the file.
    ///
    /// If the file cannot be read, the reason is reported, because an alert may follow.
    private func earlierSuccess(in metricsFile: String) async -> String? {
        // A stopped run reads the file too.
        await uncancelled {
            do throws(FeedError) {
                return try session.world.readFile(metricsFile, onlyRegular: true).flatMap(RunMetrics.success)
            } catch {
                session.report(LogLine(error.about(metricsFile).adding(", so the last success is unknown")))
                return nil
            }
        }
    }
}

extension Settings {
    /// The metrics file to write; nil in a dry run.
    var metricsFileToWrite: String? { dryRun ? nil : metricsFile }
}

/// Pings a monitor at the start and the end of a run, by the convention of healthchecks.io.
///
/// A ping takes little time, and a failed ping does not fail the run.
final class Ping: Sendable {
    private static let limit = Duration.seconds(10)
    /// The limit for the last ping of a run that was stopped or has used up its time, because such a run ends within
    /// five seconds.
    private static let hurriedLimit = Duration.seconds(3)
    private static let mostBytes: Int64 = 100_000

    private let url: ResourceURL
    private let session: Session
    /// The reasons that were already reported.
    ///
    /// The last ping usually fails for the same reason as the first.
    private let reported = Mutex<Set<String>>([])

    init(url: ResourceURL, session: Session) {
        self.url = url
        self.session = session
    }

    func start() async { await send("start", retries: 0) }

    /// Sends the last ping, also after the run was stopped, because the monitor would otherwise raise a false alarm.
    ///
    /// If the run is stopped during the ping, the ping ends at once.
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

    /// Reports a failed ping.
    ///
    /// The line contains only the host, because the whole URL is a secret.
    private func reportFailure(_ reason: String) {
        guard reported.withLock({ $0.insert(reason).inserted }) else { return }
        session.notice("the ping to \(url.host ?? "") failed: \(reason)", "ping_failed")
    }
}

private final class NoBody: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
