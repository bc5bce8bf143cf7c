import FeedCore
import Synchronization

/// One run of one command: its settings, and the ways it speaks and reaches the cache and the network.
struct Session: Sendable {
    let world: any World
    let settings: Settings
    let cachePath: String
    private let opened = OpenCaches()

    init(_ world: any World, _ settings: Settings) throws(UsageError) {
        self.world = world
        self.settings = settings
        cachePath = try world.cachePath(settings.cache)
    }

    var now: @Sendable () -> Timestamp { { [world] in world.now() } }

    /// Refuses an output that is one of the cache's own files.
    func requireElsewhere(_ file: String, for what: String) throws(FeedError) {
        guard world.ownsFile(file, cache: cachePath) else { return }
        throw .storage(.cannotCreate, "\(file): is one of the cache's own files; \(what) needs another place")
    }

    // MARK: Speaking

    private var log: Log { Log(output: world.output, format: settings.logFormat, now: now) }

    /// Told whatever the verbosity: something went wrong.
    func report(_ problem: String, _ event: String = "problem") {
        report(LogLine(level: .error, event: event, text: problem))
    }

    func report(_ line: LogLine) { log.tell(line) }

    /// Told unless `--quiet`: nothing went wrong, yet a person should know.
    func notice(_ line: String, _ event: String = "notice") {
        notice(LogLine(level: .warning, event: event, text: line))
    }

    func notice(_ line: LogLine) {
        if settings.verbosity != .quiet { log.tell(line) }
    }

    /// Told on a terminal, and with `--verbose`.
    func remark(_ line: LogLine) {
        if settings.verbosity == .verbose || (settings.verbosity == .normal && world.output.isWatched) {
            log.tell(line)
        }
    }

    /// Told with `--verbose`.
    func detail(_ line: LogLine) {
        if settings.verbosity == .verbose { log.tell(line) }
    }

    /// Says what a dry run would do: on standard output, unless an option keeps that for JSON.
    func plan(_ line: String) throws(FeedError) {
        guard settings.json || settings.printNew else { return try write(TerminalText.escape(line) + "\n") }
        notice(LogLine(level: .info, event: "plan", text: line))
    }

    func write(_ text: String) throws(FeedError) {
        try world.output.write(Array(text.utf8))
    }

    // MARK: The cache

    func openCache(_ access: CacheAccess) async throws(FeedError) -> Cache {
        let cache = try await world.openCache(cachePath, access)
        opened.add(cache)
        for line in cache.notices {
            if access == .rehearseRepair { try plan(line) } else { report(line, "cache_mended") }
        }
        return cache
    }

    /// As `read`; a directory that is no cache yet, which saving would make one, reads as empty.
    func openCacheToBe() async throws(FeedError) -> Cache {
        do {
            return try await openCache(.read)
        } catch {
            guard error.kind == .notFound else { throw error }
            return try await openCache(.none)
        }
    }

    func closeCaches() async {
        for cache in opened.takeAll() { await cache.close() }
    }
}

/// The caches of a run, for closing them when it ends.
private final class OpenCaches: Sendable {
    private let caches = Mutex<[Cache]>([])

    func add(_ cache: Cache) { caches.withLock { $0.append(cache) } }

    func takeAll() -> [Cache] {
        caches.withLock { caches in
            defer { caches = [] }
            return caches
        }
    }
}
