import FeedCommands
import FeedCore
import Synchronization
import TestDoubles
import TestSupport

/// An empty world, to which a test adds what it needs.
struct FakeWorld: World {
    var environment: [String: String] = [:]
    var currentDirectory = "/"
    var accountHome: String?
    var existing: Set<String> = []
    var readable: [String: String] = [:]
    var output: any Output = RecordedOutput()
    var answer: @Sendable (HTTPRequest) -> ScriptedHTTPClient.Answer = { _ in .ok([]) }
    var closingCache: @Sendable () -> Void = {}
    /// The cache that every command opens; nil for a new one each time.
    var cache: Cache?
    var decoder: any FeedDecoding = StubDecoder(Feed(format: .essential, images: []))
    var clock: @Sendable () -> Timestamp = { Timestamp(microseconds: 0) }

    var endingSignal: Int32? { nil }
    var libraries: [String] { ["libone 1.2"] }
    var content: any HTTPClient { ScriptedHTTPClient(answer) }
    var files: any HTTPClient { ScriptedHTTPClient { _ in .ok([]) } }
    var gallery: any GalleryWriter { NoGallery() }
    var tree: any TreeWriter { NoTree() }

    func now() -> Timestamp { clock() }
    func fileExists(_ path: String) -> Bool { existing.contains(path) }
    func realPath(_ path: String) -> String? { nil }
    func unreadable(_ path: String) -> String? { "there is none" }
    func files(in directory: String) throws(FeedError) -> [String]? { nil }
    func readFile(_ path: String, onlyRegular: Bool) throws(FeedError) -> [UInt8]? {
        readable[path].map { Array($0.utf8) }
    }
    func ownsFile(_ file: String, cache: String) -> Bool { false }
    func openCache(_ path: String, _ access: CacheAccess) async throws(FeedError) -> Cache {
        cache
            ?? Cache(
                feeds: InMemoryFeedStore(), images: InMemoryImageStore(), transfer: InMemoryTransfer(),
                waits: InMemoryFeedWaitStore(), reportedFailures: InMemoryReportedFailureStore(),
                search: ImageSearchSpy(), close: closingCache)
    }
    func makeClient(_ settings: NetworkSettings) throws(FeedError) -> any HTTPClient { ScriptedHTTPClient(answer) }
    func export(
        _ feeds: [ResourceURL], _ snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        without leftOut: Set<Digest>?, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport {
        throw .notFound("nothing to export")
    }
    func listArchive(_ source: any ByteSource) async throws(FeedError) -> Set<Digest> {
        throw .invalidData("no archive")
    }
    func ageOfArchive(_ source: any ByteSource, _ terms: ImportTerms) async throws(FeedError) -> ArchiveAge {
        throw .invalidData("no archive")
    }
    func openArchive(_ source: any ByteSource) async throws(FeedError) -> any OpenArchive {
        throw .invalidData("no archive")
    }
}

private struct NoTree: TreeWriter {
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport { TreeReport(feeds: feeds.count) }
}

private struct NoGallery: GalleryWriter {
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream?
    ) async throws(FeedError) -> GalleryReport {
        GalleryReport(feeds: feeds.count, pages: 0, images: 0, missing: 0)
    }
}

final class RecordedOutput: Output {
    private let lines = Mutex<[String]>([])
    let isTerminal = false
    let columns: Int? = nil
    let isWatched = false
    var said: [String] { lines.withLock { $0 } }

    func write(_ data: [UInt8]) throws(FeedError) {}
    func say(_ line: String) { lines.withLock { $0.append(line) } }
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {}
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget { MemoryTarget() }
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { MemorySource([]) }
    func isSameFile(_ input: String?, _ output: String?) -> Bool { false }
    func draw(_ line: ((_ width: Int) -> String)?) {}
}
