internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

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
    private let incoming: Descriptor
    private let files: Descriptor
    private let failure = SharedFailure()
    private let placed: Mutex<PlacedFiles>

    init(incoming: Descriptor, files: Descriptor) {
        self.incoming = incoming
        self.files = files
        placed = Mutex(PlacedFiles(in: files))
    }

    func check() throws(FeedError) { try failure.check() }

    func place(_ images: [OfferedImage]) {
        failure.remembering { () throws(FeedError) in
            for image in images { try place(image) }
        }
    }

    private func place(_ image: OfferedImage) throws(FeedError) {
        let name = image.digest.hex
        do throws(SystemError) {
            try placed.withLock { placed throws(SystemError) in
                try placed.place(name, from: incoming, as: image.digest, size: image.size)
            }
        } catch let error where error.code == ENOENT {
            // It was brought in once, and may be the data of another URL already.
            let isInPlace = try attempt(.failed) { () throws(SystemError) in
                try ImageFile.isThere(image.digest, size: image.size, in: files)
            }
            if !isInPlace { throw error.feedError(.failed) }
        } catch {
            throw error.feedError(.failed)
        }
    }

    func makeDurable() throws(FeedError) {
        try placed.withLock { placed throws(FeedError) in try placed.makeDurable() }
    }

    func takeBack() { placed.withLock { $0.takeBack() } }
}
