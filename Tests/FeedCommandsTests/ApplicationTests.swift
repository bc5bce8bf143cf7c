import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import FeedCommands

@Suite("The program")
struct ApplicationTests {
    @Test(
        "closes the cache, however its command ends",
        arguments: [
            (["status"], ExitCode.ok), (["show", "--offline", "http://feeds.example/"], .notFound),
            (["validate", "--deep"], .ok), (["sync"], .usage), (["gallery", "dir"], .ok), (["export", "-"], .notFound),
            (["import", "-"], .invalidData),
        ])
    func closing(_ arguments: [String], _ code: ExitCode) async {
        let closings = Tally()
        let toolbox = toolbox(Lines(), closing: { closings.add(1) }, answering: { _ in .ok([]) })
        #expect(
            await Application(toolbox: toolbox, surroundings: Self.surroundings).run(arguments.map { Array($0.utf8) })
                == code)
        #expect(closings.count == 1)
    }

    @Test("waits for no monitor any more when it is told to end", .timeLimit(.minutes(5)))
    func slowMonitor() async {
        let run = Mutex<Task<ExitCode, Never>?>(nil)
        let lines = Lines()
        let toolbox = toolbox(
            lines, closing: {},
            answering: { request in
                guard request.url.text.hasSuffix("/0") else { return .ok([]) }
                return ScriptedHTTPClient.Answer.ok([]).after {
                    run.withLock { $0?.cancel() }
                    while !Task.isCancelled { await Task.yield() }
                }
            })
        let application = Application(toolbox: toolbox, surroundings: Self.surroundings)
        let task = run.withLock { run in
            let arguments = ["--ping-url", "http://monitor.example/x", "http://feeds.example/"]
            let task = Task { await application.run(arguments.map { Array($0.utf8) }) }
            run = task
            return task
        }
        #expect(await task.value == .ok)
        #expect(lines.said == [])
    }

    private static let surroundings = Surroundings(
        environment: [:], currentDirectory: "/", accountHome: "/home", fileExists: { $0 == "/home/.cache/feedsync" })

    private func toolbox(
        _ output: any Output, closing close: @escaping @Sendable () -> Void,
        answering answer: @escaping @Sendable (HTTPRequest) -> ScriptedHTTPClient.Answer
    ) -> Toolbox {
        Toolbox(
            openCache: { _, _ in
                Cache(
                    feeds: InMemoryFeedStore(), images: InMemoryImageStore(), transfer: InMemoryTransfer(),
                    close: close)
            },
            makeClient: { _ in ScriptedHTTPClient(answer) },
            content: ScriptedHTTPClient(answer), files: ScriptedHTTPClient { _ in .ok([]) },
            decoder: StubDecoder(Feed(format: .essential, images: [])),
            archives: Archives(
                export: { _, _, _, _, _ throws(FeedError) in throw .notFound("nothing to export") },
                open: { _ in { _, _, _ throws(FeedError) in throw .invalidData("no archive") } }),
            gallery: NoGallery(), output: output, now: { Timestamp(microseconds: 0) })
    }
}

private struct NoGallery: GalleryWriter {
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport {
        GalleryReport(feeds: feeds.count, pages: 0, images: 0, missing: 0)
    }
}

private final class Lines: Output {
    private let lines = Mutex<[String]>([])
    let isWatched = false
    var said: [String] { lines.withLock { $0 } }

    func write(_ data: [UInt8]) throws(FeedError) {}
    func say(_ line: String) { lines.withLock { $0.append(line) } }
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {}
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget { MemoryTarget() }
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { MemorySource([]) }
}
