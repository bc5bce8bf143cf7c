import Glibc
import Synchronization

/// Two pipes to a program that exchanges messages, each ended by a zero byte, over its descriptors 3 (in) and 4 (out).
package final class MessagePipes: Sendable {
    private let toChild: (read: Int32, write: Int32)
    private let fromChild: (read: Int32, write: Int32)
    private let sending = Mutex(())

    package init() throws(SystemFailure) {
        // A write to a child that has ended must fail. SIGPIPE would end the tests instead.
        signal(SIGPIPE, SIG_IGN)
        toChild = try Self.makeHigh()
        fromChild = try Self.makeHigh()
    }

    deinit {
        close(toChild.write)
        close(fromChild.read)
    }

    /// The child's ends in the order of its descriptors.
    package var childEnds: [Int32] { [toChild.read, fromChild.write] }

    /// Closes the child's ends in this process.
    ///
    /// Only then can the end of the child's messages be noticed.
    package func closeChildEnds() { for end in childEnds { close(end) } }

    package func send(_ message: String) throws(SystemFailure) {
        try sending.withLock { _ throws(SystemFailure) in
            var rest = Array(message.utf8)[...] + [0]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(toChild.write, $0.baseAddress, $0.count) }
                guard written > 0 else { throw .last("write to a child") }
                rest = rest.dropFirst(written)
            }
        }
    }

    /// Passes each message to a handler as it arrives.
    ///
    /// Blocks until the child has closed its end.
    package func receive(_ handle: ([UInt8]) -> Void) {
        var message: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(fromChild.read, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var rest = chunk[..<count]
            while let end = rest.firstIndex(of: 0) {
                handle(message + rest[..<end])
                message = []
                rest = rest[(end + 1)...]
            }
            message += rest
        }
    }

    /// Moves a descriptor above the numbers that the child uses.
    private static func makeHigh() throws(SystemFailure) -> (read: Int32, write: Int32) {
        let low = try ProcessPipes.make()
        defer { for end in [low.read, low.write] { close(end) } }
        let ends = [low.read, low.write].map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        guard ends.allSatisfy({ $0 >= 0 }) else { throw .last("fcntl") }
        return (ends[0], ends[1])
    }
}
