internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization

/// Moves files to where they belong, on a thread of its own while their rows are written.
final class Placements {
    /// A thread is not woken for each.
    private static let atOnce = 64

    private let mover: Mover
    private let queue = DispatchQueue(label: "feedsync.placing")
    private var waiting: [OfferedImage] = []

    init(from incoming: Descriptor, to files: Descriptor) { mover = Mover(incoming: incoming, files: files) }

    /// Throws what went wrong with those before.
    func add(_ image: OfferedImage) throws(FeedError) {
        waiting.append(image)
        if waiting.count == Self.atOnce { try begin() }
    }

    /// Returns when all are in place.
    func wait() throws(FeedError) {
        try begin()
        queue.sync {}
        try mover.check()
    }

    /// Likewise, and what is in place stays there.
    func finish() throws(FeedError) {
        try wait()
        try mover.makeDurable()
    }

    /// Nothing more is placed, and what was not there before is gone again.
    func takeBack() {
        queue.sync {}
        mover.takeBack()
    }

    private func begin() throws(FeedError) {
        try mover.check()
        let images = waiting
        waiting.removeAll(keepingCapacity: true)
        queue.async { [mover] in mover.place(images) }
    }
}

private final class Mover: Sendable {
    private struct State {
        /// Files that were not there before.
        var placed: [Digest] = []
        /// The first thing that went wrong; nothing is moved after it.
        var failure: FeedError?
    }

    private let incoming: Descriptor
    private let files: Descriptor
    private let state = Mutex(State())

    init(incoming: Descriptor, files: Descriptor) {
        self.incoming = incoming
        self.files = files
    }

    func check() throws(FeedError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func place(_ images: [OfferedImage]) {
        do throws(FeedError) {
            try check()
            for image in images { try place(image) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    private func place(_ image: OfferedImage) throws(FeedError) {
        let name = image.digest.hex
        do throws(SystemError) {
            let placement = try ImageFile.place(name, from: incoming, as: image.digest, size: image.size, in: files)
            if placement == .new { state.withLock { $0.placed.append(image.digest) } }
        } catch let error where error.code == ENOENT && isInPlace(image) {
            return
        } catch {
            throw error.feedError(.failed)
        }
    }

    /// It was brought in once, and is the data of another URL already.
    private func isInPlace(_ image: OfferedImage) -> Bool {
        var status = stat()
        return fstatat(files.number, image.digest.hex, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.isFile
            && status.st_size == image.size
    }

    func makeDurable() throws(FeedError) {
        guard state.withLock({ !$0.placed.isEmpty }) else { return }
        try attempt(.failed) { () throws(SystemError) in try files.synchronise() }
    }

    func takeBack() {
        for digest in state.withLock({ $0.placed }) { unlinkat(files.number, digest.hex, 0) }
    }
}
