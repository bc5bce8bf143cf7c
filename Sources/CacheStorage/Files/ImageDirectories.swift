internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The directories of image data. Nil: not there, which is as good as empty.
struct ImageDirectories: Sendable {
    static let files = "\(CacheLayout.images)/\(digests)"
    private static let digests = "sha256"

    let images: Descriptor?
    let files: Descriptor?
    let incoming: Descriptor?
    let thumbnails: Descriptor?

    init(createdIn cache: Descriptor) throws(SystemError) {
        let images = try cache.makeDirectory(CacheLayout.images)
        self.images = images
        files = try images.makeDirectory(Self.digests)
        incoming = try cache.makeDirectory(CacheLayout.incoming)
        thumbnails = try cache.existingDirectory(CacheLayout.thumbnails)
    }

    init(existingIn cache: Descriptor?) throws(SystemError) {
        images = try cache?.existingDirectory(CacheLayout.images)
        files = try images?.existingDirectory(Self.digests)
        incoming = try cache?.existingDirectory(CacheLayout.incoming)
        thumbnails = try cache?.existingDirectory(CacheLayout.thumbnails)
    }

    /// An image comes to its place by a rename, which leads from no mount to another.
    func areOnOneMount() throws(SystemError) -> Bool {
        guard let files, let incoming else { return true }
        // A bind mount has no device of its own, and a subvolume of btrfs no mount. "." is never renamed, and mounts are
        // looked at before names.
        if renameat(incoming.number, ".", files.number, ".") != 0, errno == EXDEV { return false }
        return try files.status().st_dev == incoming.status().st_dev
    }

    /// Shared, it keeps out whoever deletes images, and exclusive also whoever relies on their staying. Nil: there are
    /// none.
    func lockImages(
        _ kind: Descriptor.Lock, _ wait: LockWait, cache: String
    ) async throws(FeedError) -> Descriptor? {
        guard let images else { return nil }
        // A description of its own, for a lock belongs to that.
        let lock = try attempt(.failed) { () throws(SystemError) in try images.open(".", O_RDONLY | O_DIRECTORY) }
        try await wait.lock(lock, kind, cache: cache)
        return lock
    }
}
