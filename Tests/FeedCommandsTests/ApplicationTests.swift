import FeedCore
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
        let toolbox = Toolbox(
            openCache: { _, _ in
                Cache(
                    feeds: InMemoryFeedStore(), images: InMemoryImageStore(), transfer: InMemoryTransfer(),
                    close: { closings.add(1) })
            },
            makeClient: { _ in ScriptedHTTPClient { _ in .ok([]) } },
            files: ScriptedHTTPClient { _ in .ok([]) },
            decoder: StubDecoder(Feed(format: .essential, images: [])),
            archives: Archives(
                export: { _, _, _, _, _ throws(FeedError) in throw .notFound("nothing to export") },
                takeIn: { _, _, _, _ throws(FeedError) in throw .invalidData("no archive") }),
            gallery: NoGallery(),
            output: Silence(), now: { Timestamp(microseconds: 0) })
        let surroundings = Surroundings(
            environment: [:], currentDirectory: "/", accountHome: "/home", fileExists: { $0 == "/home/.cache/feedsync" }
        )
        #expect(await Application(toolbox: toolbox, surroundings: surroundings).run(arguments) == code)
        #expect(closings.count == 1)
    }
}

private struct NoGallery: GalleryWriter {
    func write(
        _ gallery: Gallery, images: any ImageFiles, to place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport {
        GalleryReport(feeds: gallery.feeds.count, pages: 0, images: 0, missing: 0)
    }
}

private struct Silence: Output {
    let isWatched = false
    func write(_ data: [UInt8]) throws(FeedError) {}
    func say(_ line: String) {}
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {}
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget { MemoryTarget() }
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { MemorySource([]) }
}
