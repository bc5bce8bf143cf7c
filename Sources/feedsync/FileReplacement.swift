import FeedCore
import Glibc

/// Writes a file beside its place and puts it there whole. What is there and is no regular file (a terminal, a pipe,
/// /dev/null) is written to as it is.
struct FileReplacement {
    let path: String

    func write(_ data: [UInt8]) throws(FeedError) {
        var existing = stat()
        let exists = stat(path, &existing) == 0
        if exists, existing.st_mode & S_IFMT == S_IFDIR { throw cannotCreate("it is a folder") }
        if exists, existing.st_mode & S_IFMT != S_IFREG {
            try writeInPlace(data)
        } else {
            try replace(with: data, mode: exists ? existing.st_mode & 0o777 : nil)
        }
    }

    private func writeInPlace(_ data: [UInt8]) throws(FeedError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw cannotCreate(lastError) }
        defer { close(descriptor) }
        if let reason = StandardStreams.writeAll(data, to: descriptor) { throw failed(reason) }
    }

    private func replace(with data: [UInt8], mode: mode_t?) throws(FeedError) {
        let target = realTarget
        // Not made of the target's name, which may be as long as a name can be.
        let folder = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target[...$0] } ?? ""
        let temporary = "\(folder).feedsync-\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw cannotCreate(lastError) }
        do throws(FeedError) {
            if let mode, fchmod(descriptor, mode) != 0 { throw failed(lastError) }
            let reason = StandardStreams.writeAll(data, to: descriptor)
            if let reason { throw failed(reason) }
            guard fsync(descriptor) == 0 else { throw failed(lastError) }
            guard rename(temporary, target) == 0 else { throw cannotCreate(lastError) }
            close(descriptor)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
    }

    /// Where a symbolic link leads, so that the link stays.
    private var realTarget: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private var lastError: String { String(cString: strerror(errno)) }

    private func cannotCreate(_ reason: String) -> FeedError {
        .storage(.cannotCreate, "\(path) can't be written: \(reason)")
    }

    private func failed(_ reason: String) -> FeedError {
        .storage(.failed, "writing \(path) failed: \(reason)")
    }
}
