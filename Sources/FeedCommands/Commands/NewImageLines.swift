import FeedCore
import JSONText
import Synchronization

/// Writes the lines of `--print-new` in a task of its own, so that a slow reader does not slow down the run.
final class NewImageLines: Sendable {
    private struct State {
        var waiting: [NewImage] = []
        var failure: FeedError?
    }

    private let session: Session
    private let cache: String
    private let state = Mutex(State())
    private let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ session: Session) {
        self.session = session
        cache = FilePath.absolute(session.cachePath, in: session.world.currentDirectory)
    }

    /// Adds images to the queue.
    ///
    /// Throws if an earlier line could not be written, unless the run was stopped.
    func add(_ images: [NewImage]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure, !failure.isCancellation { throw failure }
            state.waiting += images
        }
        wakeUp.yield()
    }

    /// Writes lines until `end` is called or the run is stopped.
    func writeAsTheyCome() async {
        for await _ in wakeUps { writeWaiting() }
    }

    func end() { wakeUp.finish() }

    /// Writes the remaining lines, and returns the error if they could not be written.
    func writeRest() -> FeedError? {
        writeWaiting()
        return state.withLock { $0.failure }
    }

    private func writeWaiting() {
        while let images = takeWaiting() {
            do throws(FeedError) {
                // Each line is written at once, because its reader may wait for it.
                for image in images { try session.world.output.write(line(image)) }
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// Removes the waiting images from the queue.
    ///
    /// Returns nil if the queue is empty or writing has failed.
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
        writer.member("version", JSONFormat.version)
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
