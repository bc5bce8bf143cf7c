import Glibc

/// The three pipes between a child and this process.
struct ProcessPipes: Sendable {
    private var input: (read: Int32, write: Int32)
    private var output: (read: Int32, write: Int32)
    private var error: (read: Int32, write: Int32)

    init() throws(SystemFailure) {
        input = try Self.make()
        output = try Self.make()
        error = try Self.make()
    }

    /// The child's ends, in the order of standard input, output and error.
    var childEnds: [Int32] { [input.read, output.write, error.write] }

    func closeChildEnds() { for end in childEnds { close(end) } }

    func closeAll() { for end in childEnds + [input.write, output.read, error.read] { close(end) } }

    /// Writes to the child and reads from it until it closes both outputs.
    func drain(feeding text: [UInt8]) -> (output: [UInt8], error: [UInt8]) {
        var rest = text[...]
        var collected: [Int32: [UInt8]] = [output.read: [], error.read: []]
        var open: Set<Int32> = [output.read, error.read, input.write]
        func shut(_ end: Int32) {
            close(end)
            open.remove(end)
        }
        if rest.isEmpty { shut(input.write) }
        while !open.isDisjoint(with: [output.read, error.read]) {
            var polled = open.map { end in
                pollfd(fd: end, events: Int16(end == input.write ? POLLOUT : POLLIN), revents: 0)
            }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            for entry in polled where entry.revents != 0 {
                if entry.fd == input.write {
                    if !feed(&rest) { shut(entry.fd) }
                } else if let bytes = take(entry.fd) {
                    collected[entry.fd, default: []] += bytes
                } else {
                    shut(entry.fd)
                }
            }
        }
        for end in open { close(end) }
        return (collected[output.read] ?? [], collected[error.read] ?? [])
    }

    /// Writes a part of the input.
    ///
    /// Returns false when everything is written or the reader has gone.
    private func feed(_ rest: inout ArraySlice<UInt8>) -> Bool {
        // A part is as small as a ready pipe always accepts, because the descriptor blocks.
        let part = rest.prefix(Int(PIPE_BUF))
        let written = part.withUnsafeBytes { write(input.write, $0.baseAddress, $0.count) }
        if written < 0 { return errno == EINTR }
        rest = rest.dropFirst(written)
        return !rest.isEmpty
    }

    private func take(_ end: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(read(end, buffer.baseAddress, buffer.count), 0)
        }
        return bytes.isEmpty ? nil : bytes
    }

    static func make() throws(SystemFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        // Children inherit none of these ends: a child that held the other end of its own pipe would never see the
        // pipe's end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
