import Glibc
import SystemFiles
import Testing

/// A disk that a test can fill or make read-only.
///
/// Mounting it requires privileges that some testers lack.
final class SmallDisk: Sendable {
    let path: String

    /// These tests always run in CI, and fail if a disk can't be mounted.
    static let isAvailable = { () -> Bool in
        if getenv("CI") != nil { return true }
        do {
            _ = try SmallDisk(kilobytes: 16)
            return true
        } catch {
            return false
        }
    }()

    init(kilobytes: Int) throws {
        var template = Array("/tmp/feedsync-disk-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("can't be created", "/tmp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard mount("none", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            let failure = SystemError("can't be mounted", path)
            rmdir(path)
            throw failure
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    func makeReadOnly() throws { try remount(UInt(MS_RDONLY)) }

    func makeWritable() throws { try remount(0) }

    private func remount(_ flags: UInt) throws {
        // A child process that another test is starting may hold a file on the disk open until it runs its program.
        while mount("none", path, nil, UInt(MS_REMOUNT) | flags, nil) != 0 {
            guard errno == EBUSY else { throw SystemError("can't be remounted", path) }
            sched_yield()
        }
    }

    /// Fills the disk.
    func fill() throws {
        let file = try Descriptor.directory(at: path).open("ballast", O_WRONLY | O_CREAT)
        do {
            while true { try file.write([UInt8](repeating: 1, count: 4096)) }
        } catch let error where error.code == ENOSPC {
            return
        }
    }

    /// Deletes a file after truncating it.
    ///
    /// A child process that another test is starting may hold the file open, which would keep its space occupied.
    func makeRoom() {
        truncate("\(path)/ballast", 0)
        unlink("\(path)/ballast")
    }
}
