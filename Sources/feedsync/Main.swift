import CLinux
import CacheArchive
import CacheStorage
import FeedCommands
import FeedCore
import FeedFormats
import Gallery
import Glibc
import HTTPTransport
import SystemFiles

/// The composition root: the only place that knows every adapter.
@main
struct Main {
    static func main() async {
        StandardStreams.secure()
        stayNice()
        feedsync_take_memory_in_large_steps()
        Requirements.check()
        makeRoomForOpenFiles()
        // A reader that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // All text here is UTF-8; libcurl goes by the locale for host names that are not ASCII alone.
        setlocale(LC_CTYPE, "C.UTF-8")
        let streams = StandardStreams()
        let signals = TerminationSignals { streams.wipe() }
        let application = Application(toolbox: toolbox(streams, signals), surroundings: surroundings)
        let run = Task { [arguments] in await application.run(arguments) }
        signals.onFirst { run.cancel() }
        let code = await run.value
        // All is written, and all caches are closed. What `exit` does besides is to take OpenSSL down, beside threads that
        // may still be letting go of their connections.
        _exit(signals.received.map { 128 + $0 } ?? code.rawValue)
    }

    /// Dispatch gives its threads priorities of its own, whatever `nice` said. Root's succeeds with that, above all others
    /// even; anybody else's tells the system's log each time that it couldn't.
    private static func stayNice() {
        feedsync_stay_nice()
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }

    /// While there is one thread, the kernel makes room for many open files at once, as an import has them. Later, whoever
    /// opens one more than there is room for waits some 10 ms for what every processor is at.
    private static func makeRoomForOpenFiles() {
        let far = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 600)
        if far >= 0 { close(far) }
    }

    private static var arguments: [[UInt8]] {
        UnsafeMutableBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst()
            .map { argument in argument.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
    }

    private static func toolbox(_ streams: StandardStreams, _ signals: TerminationSignals) -> Toolbox {
        Toolbox(
            openCache: { path, access throws(FeedError) in try await CacheDirectory.open(path: path, access: access) },
            ownsFile: { file, cache in
                [file, OutputPlace.target(of: file)].contains { CacheDirectory.owns($0, at: cache) }
            },
            makeClient: { settings throws(FeedError) in try CurlHTTPClient(settings: settings) },
            content: LocalFileClient(),
            files: LocalFileClient(for: .operand),
            decoder: FeedDecoder(),
            archives: archives,
            gallery: StaticGallery(),
            output: streams,
            now: wallClock,
            endingSignal: { signals.received })
    }

    private static var archives: Archives {
        Archives(
            export: { feeds, snapshot, target, name, progress throws(FeedError) in
                try CacheExporter().export(feeds, from: snapshot, to: target, fileName: name, progress: progress)
            },
            open: { source async throws(FeedError) in
                let importer = try await ArchiveOpener().open(source)
                return { intake, terms, progress throws(FeedError) in
                    try importer.merge(into: intake, terms, progress: progress)
                }
            })
    }

    private static var surroundings: Surroundings {
        let environment = environment
        return Surroundings(
            environment: environment.compactMapValues(\.self),
            unreadableVariables: Set(environment.filter { $0.value == nil }.keys),
            currentDirectory: currentDirectory,
            accountHome: getpwuid(getuid()).flatMap { account in
                account.pointee.pw_dir.flatMap { String(validatingCString: $0) }
            },
            fileExists: { access($0, F_OK) == 0 },
            realPath: RealPath.found,
            unreadable: { path in
                var status = stat()
                guard access(path, R_OK) == 0, stat(path, &status) == 0 else { return lastError }
                if [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT) { return nil }
                return status.isFolder ? "it is a folder" : "it is a pipe, a socket or a device"
            },
            readFile: { path in Result { () throws(FeedError) in try FileSource.smallFile(path) } },
            readRegularFile: { path in
                var status = stat()
                guard stat(path, &status) == 0, status.isFile else { return .success(nil) }
                return Result { () throws(FeedError) in try FileSource.smallFile(path) }
            })
    }

    /// Nil for one that is no text.
    private static var environment: [String: String?] {
        var variables: [String: String?] = [:]
        var next = environ
        while let entry = next.pointee {
            next += 1
            guard let sign = strchr(entry, Int32(UInt8(ascii: "="))) else { continue }
            let name = String(decoding: UnsafeRawBufferPointer(start: entry, count: sign - entry), as: UTF8.self)
            variables.updateValue(String(validatingCString: sign + 1), forKey: name)
        }
        return variables
    }

    /// Of a folder that is gone there is no path but this one: what is looked for in it isn't there.
    /// Nil for one that is no text.
    private static var currentDirectory: String? {
        guard let path = getcwd(nil, 0) else { return Surroundings.currentDirectoryLink }
        defer { free(path) }
        return String(validatingCString: path)
    }

    @Sendable private static func wallClock() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
