import Glibc
import TestSupport
import Testing

@Suite("Caches and archives in any order", .timeLimit(.minutes(60)))
struct ArchiveHistoryTests {
    private static let parts = 8

    /// The number of histories; scripts/faults runs more of them.
    private static let histories = getenv("FEEDSYNC_HISTORIES").flatMap { UInt64(String(cString: $0)) } ?? 24

    @Test(
        "Nothing is lost, removed images stay away, and no damaged byte is delivered in random histories of two caches",
        arguments: 0..<parts)
    func histories(part: Int) async throws {
        for seed in stride(from: UInt64(part), to: Self.histories, by: Self.parts) {
            var history = try await ArchiveHistory(seed: seed)
            try await history.run(steps: 16)
        }
    }
}

/// A random history of two caches of one feed: what the server serves, what happens to the disks, and the runs of the
/// program, some of which are killed.
///
/// After each run, the cache contains what the model says.
struct ArchiveHistory {
    static let images = 5

    let seed: UInt64
    private var random: SeededGenerator
    let server: FeedServer
    let programs: [Program]
    let digests: [String]
    var models = [ModelCache(), ModelCache()]
    private var served: [Int] = []
    private var archives: [ModelArchive] = []
    /// The values of `--keep` that syncs of this history choose from.
    private let keeps: [String?]
    private var log: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        server = try FeedServer(images: Self.images)
        programs = [try Program(), try Program()]
        let directory = programs[0].directory
        let files = try (0..<Self.images).map { try directory.write(FeedServer.image($0), to: "\($0).png") }
        digests = try await Subprocess.run("sha256sum", files).outputLines.map { String($0.prefix(64)) }
        keeps = [[nil], [nil, "forever"], ["forever"], [nil, "forever", "none"]][Int(seed % 4)]
    }

    /// Runs the whole history, and brings both caches back in order at the end.
    mutating func run(steps: Int) async throws {
        publish()
        try await run(.sync(served, keep: pick(keeps)), in: 0)
        if Bool.random(using: &random) { try await run(.sync(served, keep: pick(keeps)), in: 1) }
        for _ in 0..<steps { try await step() }
        for cache in 0...1 {
            try await run(.validate(isDeep: true, isRehearsal: false), in: cache)
            try await run(.sync(served, keep: nil), in: cache)
            try await run(.validate(isDeep: true, isRehearsal: false), in: cache)
            for image in 0..<Self.images { try await checkDelivery(of: image, from: cache) }
        }
    }

    private mutating func step() async throws {
        let cache = Int.random(in: 0...1, using: &random)
        let image = Int.random(in: 0..<Self.images, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: publish()
        case 3...6: try await run(.sync(served, keep: pick(keeps)), in: cache)
        case 7...8: try await run(.remove(image), in: cache)
        case 9...10: try await run(.undo(image), in: cache)
        case 11...12:
            let (isDeep, isRehearsal) = (Bool.random(using: &random), Int.random(in: 0..<3, using: &random) == 0)
            try await run(.validate(isDeep: isDeep, isRehearsal: isRehearsal), in: cache)
        case 13...14: try damage(image, in: cache)
        case 15...16:
            let older = archives.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            try await run(.export(programs[0].directory.path("\(archives.count).tar"), without: older), in: cache)
        default:
            guard let archive = archives.randomElement(using: &random) else { return }
            try await run(.importing(archive, restores: Bool.random(using: &random)), in: cache)
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// Serves a feed of some of the images from now on, each with its own id.
    private mutating func publish() {
        let count = Int.random(in: 1...Self.images, using: &random)
        served = Array((0..<Self.images).shuffled(using: &random).prefix(count))
        let items = served.map { #"{"id":"\#(FeedServer.id($0))","image":"\#(server.imageURL($0))"}"# }
        server.serve(feed: FeedServer.feed(items: items))
        log.append("publish \(served)")
    }

    private mutating func damage(_ image: Int, in cache: Int) throws {
        let file = "\(programs[cache].imageDirectory)/\(digests[image])"
        let damage = pick(ModelCache.Damage.allCases)
        guard models[cache].withData.contains(image), models[cache].data[image] == .intact else { return }
        switch damage {
        case .flipped: try Files.damage(file)
        case .cut: guard truncate(file, 5) == 0 else { throw SystemFailure.last("truncate \(file)") }
        case .deleted: guard unlink(file) == 0 else { throw SystemFailure.last("unlink \(file)") }
        }
        models[cache].data[image] = .damaged(damage)
        log.append("\(damage.rawValue) \(image) in cache \(cache)")
    }
}

// MARK: - Runs

extension ArchiveHistory {
    private func arguments(of run: ModelRun) -> [String] {
        switch run {
        case .sync(_, let keep): [server.feedURL] + (keep.map { ["--keep", $0] } ?? [])
        case .remove(let image): ["remove", server.imageURL(image)]
        case .undo(let image): ["remove", "--undo", server.imageURL(image)]
        case .validate(let isDeep, let isRehearsal):
            ["validate"] + (isDeep ? ["--deep"] : []) + (isRehearsal ? ["-n"] : [])
        case .export(let path, let older): ["export"] + older.flatMap { ["--without", $0.path] } + [path]
        case .importing(let archive, let restores): ["import"] + (restores ? ["--restore"] : []) + [archive.path]
        }
    }

    private mutating func run(_ run: ModelRun, in cache: Int) async throws {
        let before = models[cache]
        var codes: Set = [models[cache].run(run)]
        let isKilled = Int.random(in: 0..<4, using: &random) == 0
        log.append("\(isKilled ? "killed " : "")\(arguments(of: run)) in cache \(cache)")
        var result =
            isKilled ? try await kill(run, in: cache, before) : try await programs[cache].run(arguments(of: run))
        if result.status == .signalled(SIGKILL) {
            var again = models[cache]
            codes.insert(again.run(run))
            result = try await programs[cache].run(arguments(of: run))
            // The next removal of unreferenced images deletes what a killed one left.
            if case .remove = run, result.status == .exited(66) {
                _ = models[cache].run(.validate(isDeep: false, isRehearsal: false))
                try await programs[cache].run("validate")
            }
        }
        guard let code = result.exitCode, codes.contains(code) else {
            throw disagreement("\(result.status) instead of \(codes): \(result.errorText)")
        }
        if case .export(let path, let older) = run { try await keepArchive(path, older, in: cache) }
        try await check(cache)
        if case .validate(_, isRehearsal: false) = run { try checkFiles(of: cache) }
        try await checkDelivery(of: Int.random(in: 0..<Self.images, using: &random), from: cache)
        // Each run of the program costs as much as everything else in a step.
        if Bool.random(using: &random) {
            try await checkFinding(in: cache)
        } else {
            try await checkExport(from: cache)
        }
    }

    /// Starts a run that is killed at a certain system call, if it comes to that call.
    ///
    /// Afterwards, the feed and the data of each image are as before the run or as after it.
    private mutating func kill(_ run: ModelRun, in cache: Int, _ before: ModelCache) async throws -> ProcessResult {
        let (call, most) = pick([
            ("pwrite64", 40), ("fdatasync", 8), ("fsync", 3), ("renameat2", 2), ("linkat", 1), ("unlinkat", 3),
        ])
        let count = Int.random(in: 1...most, using: &random)
        let result = try await programs[cache].shell(
            #"""
            inject=$1; shift
            exec strace -f -qq -o /dev/null -e "trace=${inject%%:*}" -e "inject=$inject" "$feedsync" "$@"
            """#, ["\(call):signal=KILL:when=\(count)"] + arguments(of: run))
        log.append("\(call) \(count) \(result.status)")
        let shown = try await shown(in: cache)
        let states = [before, models[cache]]
        guard states.contains(where: { $0.agrees(with: shown.feed) }) else {
            throw disagreement("after a kill, the feed is \(String(describing: shown.feed))")
        }
        for (image, bytes) in shown.data {
            guard states.contains(where: { isRight(bytes, $0.data[image], of: image) }) else {
                throw disagreement("after a kill, the image \(image) has \(bytes?.count ?? -1) bytes")
            }
        }
        if case .export(let path, let older) = run, Files.exists(path) {
            guard let archive = models[cache].export(to: path, without: older).archive else {
                throw disagreement("an export of damaged data has left a file")
            }
            try await checkArchive(archive)
        }
        return result
    }

    private mutating func keepArchive(_ path: String, _ older: [ModelArchive], in cache: Int) async throws {
        guard let archive = models[cache].export(to: path, without: older).archive else {
            guard !Files.exists(path) else { throw disagreement("a failed export has left a file") }
            return
        }
        try await checkArchive(archive)
        archives.append(archive)
    }

    func disagreement(_ what: String) -> Disagreement {
        Disagreement(description: "seed \(seed): \(what)\n\(log.joined(separator: "\n"))")
    }

    struct Disagreement: Error, CustomStringConvertible { let description: String }
}

extension ModelCache {
    func agrees(with shown: Feed?) -> Bool {
        guard let feed, let shown else { return feed == nil && shown == nil }
        return feed.current == shown.current && Set(feed.kept.keys) == Set(shown.kept.keys)
            && (feed.savedAt ?? shown.savedAt) == shown.savedAt
    }
}
