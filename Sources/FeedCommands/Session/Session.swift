import FeedCore

/// One run of one command: its settings, its output, and its access to the cache.
struct Session: Sendable {
    let world: any World
    let settings: Settings
    let cachePath: String

    init(_ world: any World, _ settings: Settings) throws(UsageError) {
        self.world = world
        self.settings = settings
        cachePath = try world.cachePath(settings.cache)
    }

    var now: @Sendable () -> Timestamp { { [world] in world.now() } }

    /// Refuses an output file that belongs to the cache.
    func requireOutsideCache(_ file: String, for what: String) throws(FeedError) {
        guard world.ownsFile(file, cache: cachePath) else { return }
        throw .storage(.cannotCreate, "\(file): belongs to the cache; choose another path for \(what)")
    }

    // MARK: Speaking

    private var log: Log { Log(output: world.output, format: settings.logFormat, now: now) }

    /// Prints a failure, with every verbosity.
    func report(_ problem: String, _ event: String = "problem") {
        report(LogLine(level: .error, event: event, text: problem))
    }

    func report(_ line: LogLine) { log.write(line) }

    /// Prints what the user should know although nothing failed, unless `--quiet` is given.
    func notice(_ line: String, _ event: String = "notice") {
        notice(LogLine(level: .warning, event: event, text: line))
    }

    func notice(_ line: LogLine) {
        if settings.verbosity != .quiet { log.write(line) }
    }

    /// Prints a line on a terminal and with `--verbose`.
    func remark(_ line: LogLine) {
        if settings.verbosity == .verbose || (settings.verbosity == .normal && world.output.isWatched) {
            log.write(line)
        }
    }

    /// Prints a line with `--verbose`.
    func detail(_ line: LogLine) {
        if settings.verbosity == .verbose { log.write(line) }
    }

    /// Prints what a dry run would do, on standard output unless an option reserves that for JSON.
    func plan(_ line: String) throws(FeedError) {
        guard settings.json || settings.printNew else { return try write(TerminalText.escape(line) + "\n") }
        notice(LogLine(level: .info, event: "plan", text: line))
    }

    func write(_ text: String) throws(FeedError) {
        try world.output.write(Array(text.utf8))
    }

    // MARK: The cache

    /// Opens the cache for `work`, and closes it at its end: whatever follows, such as a slow reader of the output,
    /// must not keep other runs from the cache.
    ///
    /// On a full disk, SQLite cannot open a cache for writing while it is open for reading.
    func withCache<Outcome>(
        _ access: CacheAccess, _ work: (Cache) async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        let cache = try await world.openCache(cachePath, access)
        let outcome = await Result { () async throws(FeedError) in
            for line in cache.notices {
                if access == .rehearseRepair { try plan(line) } else { report(line, "cache_mended") }
            }
            return try await work(cache)
        }
        await cache.close()
        return try outcome.get()
    }

    /// Opens the cache for a command that only reads it.
    ///
    /// A missing default cache is empty. A missing cache that the user named is an error, because its name may be
    /// mistyped.
    func withExistingCache<Outcome>(
        _ work: (Cache) async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try await withCache(.read) { cache throws(FeedError) in
            guard settings.cache == nil || world.fileExists(cachePath) else {
                throw .notFound("\(cachePath): there is no such cache").hinting("see --cache and FEEDSYNC_CACHE")
            }
            return try await work(cache)
        }
    }

    /// The access of a command that saves.
    var saving: CacheAccess { .write(lockWait: settings.lockWait) }
}

/// Shows the progress of a command.
extension Session {
    /// Returns a progress display; nil if none is shown.
    func makeProgressDisplay(_ label: String, of noun: String, meter: ByteMeter? = nil) -> ProgressDisplay? {
        guard showsProgress else { return nil }
        return ProgressDisplay(
            label: label, noun: noun, output: world.output, colours: showsColours,
            showsEnd: settings.progress == .always, meter: meter)
    }

    /// Runs `work` and shows its progress, counted in units of `noun`.
    func showingProgress<Outcome: Sendable>(
        _ label: String, of noun: String,
        _ work: (ProgressStream?) async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let display = makeProgressDisplay(label, of: noun) else { return try await work(nil) }
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        let following = Task { for await progress in stream { display.update(progress) } }
        return try await display.during { () async throws(FeedError) in
            let result = await Result { () async throws(FeedError) in try await work(continuation) }
            continuation.finish()
            await following.value
            return try result.get()
        }
    }

    var showsProgress: Bool {
        switch settings.progress {
        case .always: true
        case .never: false
        case .auto:
            world.output.isWatched && !isDumb && settings.verbosity != .quiet && settings.logFormat == .text
        }
    }

    /// Whether the terminal cannot erase what it shows.
    private var isDumb: Bool { (world.environment["TERM"] ?? "dumb") == "dumb" }

    /// Whether the progress line has colours, by the rules of no-color.org.
    private var showsColours: Bool {
        world.output.isWatched && !isDumb && (world.environment["NO_COLOR"] ?? "").isEmpty
    }
}

/// Runs work that a stopped run must still do, in a task that is not cancelled.
func uncancelled<Outcome: Sendable>(_ work: @escaping @Sendable () async -> Outcome) async -> Outcome {
    await Task { await work() }.value
}
