import CacheArchive
import CacheStorage
import FeedCommands
import FeedCore
import FeedFormats
import Glibc
import HTTPTransport
import Layouts
import SystemFiles

/// The composition root, which connects the commands with every adapter.
struct RealWorld: World {
    let environment: [String: String]
    let currentDirectory: String
    let accountHome: String?
    let output: any Output
    let content: any HTTPClient = LocalFileClient()
    let files: any HTTPClient = LocalFileClient(for: .operand)
    let decoder: any FeedDecoding = FeedDecoder()
    let gallery: any GalleryWriter
    let tree: any TreeWriter = FileTree()
    private let signals: TerminationSignals

    init(_ streams: StandardStreams, _ signals: TerminationSignals) {
        environment = Self.readEnvironment()
        currentDirectory = Self.readCurrentDirectory()
        accountHome = getpwuid(getuid()).flatMap { account in
            account.pointee.pw_dir.flatMap { String(validatingCString: $0) }
        }
        output = streams
        gallery = StaticGallery(path: environment["PATH"])
        self.signals = signals
    }

    var endingSignal: Int32? { signals.received }
    var libraries: [String] { LibraryVersions.all }

    func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func realPath(_ path: String) -> String? { RealPath.found(path) }

    func unreadable(_ path: String) -> String? {
        var status = stat()
        guard access(path, R_OK) == 0, stat(path, &status) == 0 else { return lastError }
        if [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT) { return nil }
        return status.isDirectory ? "it is a directory" : "it is a pipe, a socket or a device"
    }

    func files(in directory: String) throws(FeedError) -> [String]? {
        var status = stat()
        guard stat(directory, &status) == 0, status.isDirectory else { return nil }
        do throws(SystemError) {
            var names: [String] = []
            try Descriptor.directory(at: directory).forEachEntry { name, type in
                if type != DT_DIR { names.append(String(cString: name)) }
            }
            return names
        } catch {
            throw .storage(.failed, error.message)
        }
    }

    func readFile(_ path: String, onlyRegular: Bool) throws(FeedError) -> [UInt8]? {
        if onlyRegular {
            var status = stat()
            guard stat(path, &status) == 0, status.isFile else { return nil }
        }
        return try FileSource.smallFile(path)
    }

    func ownsFile(_ file: String, cache: String) -> Bool {
        [file, OutputPath.target(of: file)].contains { CacheDirectory.owns($0, at: cache) }
    }

    func openCache(_ path: String, _ access: CacheAccess) async throws(FeedError) -> Cache {
        try await CacheDirectory.open(path: path, access: access)
    }

    func makeClient(_ settings: NetworkSettings) throws(FeedError) -> any HTTPClient {
        try CurlHTTPClient(settings: settings)
    }

    func export(
        _ feeds: [ResourceURL], _ snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        without leftOut: Set<Digest>?, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport {
        try CacheExporter().export(
            feeds, from: snapshot, to: target, fileName: fileName, without: leftOut, progress: progress)
    }

    func listArchive(_ source: any ByteSource) async throws(FeedError) -> Set<Digest> {
        try await ArchiveOpener().list(source)
    }

    func ageOfArchive(_ source: any ByteSource, _ terms: ImportTerms) async throws(FeedError) -> ArchiveAge {
        try await ArchiveOpener().age(of: source, terms)
    }

    func openArchive(_ source: any ByteSource) async throws(FeedError) -> any OpenArchive {
        try await ArchiveOpener().open(source)
    }

    private static func readEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            next += 1
            let text = String(cString: entry)
            guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            variables[String(text[..<sign])] = String(Substring(text.utf8[sign...].dropFirst()))
        }
        return variables
    }

    /// Returns the current directory.
    ///
    /// A deleted directory has no path; the replacement is a path where every lookup fails.
    private static func readCurrentDirectory() -> String {
        guard let path = getcwd(nil, 0) else { return "/proc/self/cwd" }
        defer { free(path) }
        return String(cString: path)
    }
}

extension CacheImporter: OpenArchive {}
