internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Moves files of `incoming` to where they belong while their rows are written.
final class PlacingThread: Sendable {
    private let incoming: Descriptor
    private let files: Descriptor
    private let queue = DispatchQueue(label: "feedsync.placing")
    private let failure = SharedFailure()
    private let placed: Mutex<PlacedFiles>

    init(from incoming: Descriptor, to files: Descriptor) {
        self.incoming = incoming
        self.files = files
        placed = Mutex(PlacedFiles(in: files))
    }

    /// Throws what went wrong with those before.
    func place(_ images: [OfferedImage]) throws(FeedError) {
        try failure.check()
        queue.async { [self] in
            failure.remembering { () throws(FeedError) in
                for image in images {
                    try attempt(.failed) { () throws(SystemError) in try place(image) }
                }
            }
        }
    }

    /// Returns when all are in place.
    func wait() throws(FeedError) {
        queue.sync {}
        try failure.check()
    }

    /// Likewise, and what is in place stays there.
    func makeDurable() throws(FeedError) {
        try wait()
        try placed.withLock { placed throws(FeedError) in try placed.makeDurable() }
    }

    /// What was not there before is gone again.
    func takeBack() {
        queue.sync {}
        placed.withLock { $0.takeBack() }
    }

    private func place(_ image: OfferedImage) throws(SystemError) {
        do throws(SystemError) {
            try placed.withLock { placed throws(SystemError) in
                try placed.place(image.digest.hex, from: incoming, as: image.digest, size: image.size)
            }
        } catch {
            // It was brought in once, and may be the data of another URL already.
            guard error.code == ENOENT, try ImageFile.isThere(image.digest, size: image.size, in: files) else {
                throw error
            }
        }
    }
}
