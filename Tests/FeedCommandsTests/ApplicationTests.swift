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
            (["validate", "--deep"], .ok), (["sync"], .usage), (["gallery", "dir"], .ok),
        ])
    func closing(_ arguments: [String], _ code: ExitCode) async {
        let closings = Tally()
        let toolbox = Toolbox(
            openCache: { _, _ in
                Cache(
                    feeds: InMemoryFeedStore(), images: InMemoryImageStore(), transfer: NoTransfer(),
                    close: { closings.add(1) })
            },
            makeClient: { _ in ScriptedHTTPClient { _ in .ok([]) } },
            decoder: StubDecoder(Feed(format: .essential, images: [])), archives: .none, gallery: NoGallery(),
            output: Silence(), now: { Timestamp(microseconds: 0) })
        let surroundings = Surroundings(
            environment: [:], currentDirectory: "/", accountHome: "/home", fileExists: { _ in false })
        #expect(await Application(toolbox: toolbox, surroundings: surroundings).run(arguments) == code)
        #expect(closings.count == 1)
    }
}

private struct NoGallery: GalleryWriter {
    func write(
        _ gallery: Gallery, images: any ImageFiles, to path: String
    ) async throws(FeedError) -> GalleryReport {
        GalleryReport(feeds: gallery.feeds.count, pages: 0, images: 0, missing: 0)
    }
}

private struct Silence: Output {
    let isWatched = false
    func write(_ data: [UInt8]) throws(FeedError) {}
    func say(_ line: String) {}
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError) {}
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget { throw .storage(.cannotCreate, "silent") }
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource { throw .notFound("silent") }
}

private struct NoTransfer: CacheTransfer {
    func read<Outcome: Sendable>(
        lockWait: Duration, _ work: @escaping @Sendable (any CacheSnapshot) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome { throw .storage(.failed, "no transfer") }

    func takeIn<Outcome: Sendable>(
        _ work: @escaping @Sendable (any CacheIntake) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome { throw .storage(.failed, "no transfer") }
}

extension Archives {
    fileprivate static let none = Archives(
        export: { _, _, _, _, _ throws(FeedError) in throw .storage(.failed, "no archives") },
        takeIn: { _, _, _, _ throws(FeedError) in throw .storage(.failed, "no archives") })
}
