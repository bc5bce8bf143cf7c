import Glibc
import SystemFiles
import Testing

@testable import CacheStorage

/// A disk that a test can fill, or make read-only. Mounting takes privileges that not every tester has.
final class SmallDisk: Sendable {
    let path: String

    /// In CI these tests always run, and fail where they can't.
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
        // A program that another test is about to run may hold a file of it open for writing until it begins.
        while mount("none", path, nil, UInt(MS_REMOUNT) | flags, nil) != 0 {
            guard errno == EBUSY else { throw SystemError("can't be remounted", path) }
            sched_yield()
        }
    }

    /// Takes all the space that is left.
    func fill() throws {
        let file = try Descriptor.directory(at: path).open("ballast", O_WRONLY | O_CREAT)
        do {
            while true { try file.write([UInt8](repeating: 1, count: 4096)) }
        } catch let error where error.isFullDisk {
            return
        }
    }

    /// A program that another test is about to run may hold the file open until it begins: its name alone is not its
    /// room.
    func makeRoom() {
        truncate("\(path)/ballast", 0)
        unlink("\(path)/ballast")
    }
}
