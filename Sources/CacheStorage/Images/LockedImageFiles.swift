internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageDirectory {
    func files(lockWait: Duration) async throws(FeedError) -> any ImageFiles {
        guard let files = directories.files else { return LockedImageFiles(lock: nil, directory: nil, cache: path) }
        let wait = LockWait(limit: lockWait, sleeping: wait.sleeping)
        let lock = try await directories.lockImages(.shared, wait, cache: path)
        return LockedImageFiles(lock: lock, directory: files, cache: path)
    }
}

/// Image files under the shared lock, which excludes every process that deletes images.
private struct LockedImageFiles: ImageFiles {
    let lock: Descriptor?
    /// The directory of image files, or nil if it is missing.
    let directory: Descriptor?
    let cache: String

    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        let gone = FeedError.notFound(image.damagedOrGone(from: cache).message)
        guard let directory else { throw gone }
        let file = try reading(in: directory) { () throws(SystemError) in
            try ImageFile.openReadable(image.digest, in: directory, size: image.size)
        }
        guard let file else { throw gone }
        return LockedImageFile(file: file, directory: directory, name: image.digest.hex, size: Int(image.size))
    }
}

private struct LockedImageFile: OpenImage {
    let file: Descriptor
    let directory: Descriptor
    let name: String
    let size: Int

    func read(_ count: Int, at offset: Int) throws(FeedError) -> [UInt8] {
        try reading(in: directory) { () throws(SystemError) in try file.read(count, at: offset) }
    }

    func place(at path: String) throws(FeedError) {
        // A link can fail for many reasons, such as another file system, too many links or a file of another user. If
        // the copy fails as well, the copy's error is thrown.
        for placement in [ImagePlacement.link, .clone, .copy] where try place(at: path, as: placement) { return }
    }

    func place(at path: String, as placement: ImagePlacement) throws(FeedError) -> Bool {
        if placement == .link { return linkat(directory.number, name, AT_FDCWD, path, 0) == 0 }
        let target = try attempt(.failed) { () throws(SystemError) in try Self.create(path) }
        guard placement == .copy else {
            if ioctl(target.number, FileCloning.request, file.number) == 0 { return true }
            unlink(path)
            return false
        }
        do throws(FeedError) { try copy(to: target) } catch {
            // A partial copy is deleted.
            unlink(path)
            throw error
        }
        return true
    }

    private static func create(_ path: String) throws(SystemError) -> Descriptor {
        let number = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, ImageFile.mode)
        guard number >= 0 else { throw SystemError("can't be created", path) }
        return Descriptor(owning: number, path: path)
    }

    private func copy(to target: Descriptor) throws(FeedError) {
        var offset = 0
        // The size of the image limits the buffer, because most images are smaller than a chunk.
        while offset < size, case let chunk = try read(min(256 * 1024, size - offset), at: offset), !chunk.isEmpty {
            try attempt(.failed) { () throws(SystemError) in try target.write(chunk) }
            offset += chunk.count
        }
    }
}

/// Reads an image file.
///
/// Distinguishes a denied permission from a failing disk.
private func reading<Outcome>(
    in directory: Descriptor, _ work: () throws(SystemError) -> Outcome
) throws(FeedError) -> Outcome {
    do { return try work() } catch {
        guard error.concernsOneFile(in: directory) else { throw error.feedError(.failed) }
        if error.isForbidden { throw .notFound(error.message) }
        throw .storage(.unreadable, error.message).hinting("run `feedsync validate --deep`")
    }
}

/// The request number of `FICLONE`, which makes a copy that shares the original's blocks until one of them is changed.
///
/// Swift can't import the C macro `_IOW(0x94, 9, int)`.
private enum FileCloning {
    static let request: UInt = 0x4004_9409
}
