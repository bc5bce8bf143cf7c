import FeedCore
import JSONText
import Synchronization

/// The lines of `--print-new`. They are written beside the run, which no reader holds up.
final class NewImageLines: Sendable {
    private struct State {
        var waiting: [NewImage] = []
        var failure: FeedError?
    }

    private let session: Session
    private let cache: String
    private let state = Mutex(State())
    private let (news, newsEnd) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ session: Session) {
        self.session = session
        cache = FilePath.absolute(session.cachePath, in: session.world.currentDirectory)
    }

    /// Throws where nobody takes lines any more, unless that is as the run was stopped.
    func add(_ images: [NewImage]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure, !failure.isCancellation { throw failure }
            state.waiting += images
        }
        newsEnd.yield()
    }

    /// Returns when there will be no more, or when the run is stopped.
    func writeAsTheyCome() async {
        for await _ in news { writeWaiting() }
    }

    func end() { newsEnd.finish() }

    /// Writes what is left, and answers why that could not be done.
    func writeRest() -> FeedError? {
        writeWaiting()
        return state.withLock { $0.failure }
    }

    private func writeWaiting() {
        while let images = takeWaiting() {
            do throws(FeedError) {
                // Each at once: its reader may wait for it.
                for image in images { try session.world.output.write(line(image)) }
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// Nil if there are none, or none can be written.
    private func takeWaiting() -> [NewImage]? {
        state.withLock { state in
            guard state.failure == nil, !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func line(_ new: NewImage) -> [UInt8] {
        let image = new.image
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("feed", new.feed.text)
        writer.member("id", image.id)
        writer.member("title", image.title)
        writer.member("description", image.description)
        writer.member("link", image.link?.text)
        writer.member("published", image.published?.rfc3339)
        writer.member("url", image.url.text)
        writer.member("digest", "sha256:\(new.stored.digest.hex)")
        writer.member("path", FilePath.absolute(new.stored.path, in: cache))
        writer.member("type", new.stored.type.mediaType)
        writer.member("size", new.stored.size)
        writer.endObject()
        return writer.drain() + [UInt8(ascii: "\n")]
    }
}
