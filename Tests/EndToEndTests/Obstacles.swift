import Glibc
import TestSupport

/// A port of this machine that refuses connections, and that is reserved as long as this object lives.
final class DeadPort: Sendable {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemFailure.last("socket") }
        descriptor = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
            }
        }
        guard bound else { throw SystemFailure.last("bind") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// A lock of a cache, held as by another run.
final class HeldLock: Sendable {
    private let descriptor: Int32

    /// Holds the lock of a run that changes the cache.
    convenience init(of program: Program) throws {
        mkdir(program.cache, 0o700)
        try self.init("\(program.cache)/lock", O_RDWR | O_CREAT, LOCK_EX)
    }

    /// Holds the lock of an output directory, like a run that writes there.
    convenience init(ofOutput directory: String, of program: Program) async throws {
        let script = #"printf %s "$(realpath -m "$1")" | sha256sum | cut -c 1-64"#
        let hash = try await program.shell(script, directory).outputText.prefix(64)
        mkdir(program.cache, 0o700)
        mkdir("\(program.cache)/outputs", 0o700)
        try self.init("\(program.cache)/outputs/\(hash).lock", O_RDWR | O_CREAT, LOCK_EX)
    }

    /// Holds the shared lock of a run that relies on the images, such as an export.
    convenience init(onImagesOf program: Program) throws {
        try self.init("\(program.cache)/images", O_RDONLY | O_DIRECTORY, LOCK_SH)
    }

    private init(_ path: String, _ flags: Int32, _ kind: Int32) throws {
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, kind | LOCK_NB) == 0 else { throw SystemFailure.last("lock \(path)") }
    }

    deinit {
        // After closing only, a child that another test is just starting would still hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// A pipe that is open at both ends and is never read.
final class StuckPipe: Sendable {
    let path: String
    private let descriptor: Int32

    init(in directory: TemporaryDirectory) throws {
        path = directory.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw SystemFailure.last("mkfifo \(path)") }
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure.last("open \(path)") }
    }

    deinit { close(descriptor) }

    func fill() throws {
        let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard writer >= 0 else { throw SystemFailure.last("open \(path)") }
        defer { close(writer) }
        let bytes = [UInt8](repeating: 7, count: 4096)
        while write(writer, bytes, bytes.count) > 0 {}
    }

    /// The number of bytes waiting in the pipe.
    var bytes: Int32 {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : 0
    }
}
