internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageDirectory {
    func files(lockWait: Duration) async throws(FeedError) -> any ImageFiles {
        guard let files = directories.files else { return HeldImageFiles(lock: nil, directory: nil, cache: path) }
        let wait = LockWait(limit: lockWait, sleeping: wait.sleeping)
        let lock = try await directories.lockImages(.shared, wait, cache: path)
        return HeldImageFiles(lock: lock, directory: files, cache: path)
    }
}

/// Files that nobody deletes while this lives: whoever wants to takes the exclusive lock first.
private struct HeldImageFiles: ImageFiles {
    let lock: Descriptor?
    /// Nil: there are no files.
    let directory: Descriptor?
    let cache: String

    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        let gone = FeedError.notFound(image.damagedOrGone(from: cache).message)
        guard let directory else { throw gone }
        let file = try reading(in: directory) { () throws(SystemError) in
            try ImageFile.openReadable(image.digest, in: directory, size: image.size)
        }
        guard let file else { throw gone }
        return HeldImageFile(file: file, directory: directory, name: image.digest.hex, size: Int(image.size))
    }
}

private struct HeldImageFile: OpenImage {
    let file: Descriptor
    let directory: Descriptor
    let name: String
    let size: Int

    func read(_ count: Int, at offset: Int) throws(FeedError) -> [UInt8] {
        try reading(in: directory) { () throws(SystemError) in try file.read(count, at: offset) }
    }

    func place(at path: String) throws(FeedError) {
        // A link may be impossible for many reasons: another file system, too many links, a file of another user. Where
        // a copy is impossible too, that tells why.
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
            // Half a image is none.
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
        // Most are smaller than a buffer for any.
        while offset < size, case let chunk = try read(min(256 * 1024, size - offset), at: offset), !chunk.isEmpty {
            try attempt(.failed) { () throws(SystemError) in try target.write(chunk) }
            offset += chunk.count
        }
    }
}

/// Reads an image's file. That there is no right to it is told from that the disk fails.
private func reading<Outcome>(
    in directory: Descriptor, _ work: () throws(SystemError) -> Outcome
) throws(FeedError) -> Outcome {
    do { return try work() } catch {
        guard error.concernsOneFile(in: directory) else { throw error.feedError(.failed) }
        if error.isForbidden { throw .notFound(error.message) }
        throw .storage(.unreadable, error.message).hinting("run `feedsync validate --deep`")
    }
}

/// `FICLONE`: the copy shares the original's blocks until one of them is written to. Its C definition is a macro that
/// Swift can't see: `_IOW(0x94, 9, int)`.
private enum FileCloning {
    static let request: UInt = 0x4004_9409
}
