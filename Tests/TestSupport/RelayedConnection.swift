internal import CEpoll
import Glibc

/// The two sockets of a connection and the bytes on their way between them.
///
/// Times are in milliseconds.
final class RelayedConnection {
    let number: Int
    let client: Int32
    let server: Int32
    /// The time when the client's first bytes can arrive: after a round trip to make the connection, and the way.
    let opening: Int
    private(set) var isOver = false
    private let up: RelayedStream
    private let down: RelayedStream

    init(_ number: Int, _ client: Int32, _ server: Int32, now: Int, delay: Int) {
        (self.number, self.client, self.server) = (number, client, server)
        opening = now + 3 * delay
        up = RelayedStream(from: client, to: server, delay: delay, opening: opening)
        down = RelayedStream(from: server, to: client, delay: delay, opening: now)
    }

    func see(_ events: UInt32, of descriptor: Int32) {
        let (from, to) = descriptor == client ? (up, down) : (down, up)
        let isHungUp = events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
        if isHungUp || events & EPOLLIN.rawValue != 0 { from.isReadable = true }
        if isHungUp || events & EPOLLOUT.rawValue != 0 { to.isWritable = true }
        if isHungUp { from.isAtItsEnd = true }
    }

    /// Moves all bytes that are due.
    ///
    /// Returns when the next bytes are due, apart from the times returned before and the opening.
    func pass(_ now: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let times = [up.pass(now, buffer), down.pass(now, buffer)]
        isOver = up.isBroken || down.isBroken || up.isOver && down.isOver
        return times.compactMap { $0 }.max()
    }
}

/// One direction of a connection.
final class RelayedStream {
    /// The number of bytes on the way at which the sender has to wait.
    ///
    /// A fast network carries fewer.
    private static let room = 4 << 20

    private struct Piece {
        let due: Int
        /// The bytes; an empty piece is the end.
        var bytes: [UInt8]
    }

    var isReadable = false
    var isWritable = false
    /// Whether the sender has closed its side.
    var isAtItsEnd = false
    private(set) var isBroken = false
    private(set) var isOver = false
    private let source: Int32
    private let target: Int32
    private let delay: Int
    private let opening: Int
    private var pieces: [Piece] = []
    private var bytesUnderWay = 0
    /// The number of bytes of the first piece that are written already.
    private var sent = 0
    private var hasEnded = false

    init(from source: Int32, to target: Int32, delay: Int, opening: Int) {
        (self.source, self.target, self.delay, self.opening) = (source, target, delay, opening)
    }

    func pass(_ now: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var next: Int?
        let due = max(now + delay, opening)
        repeat {
            if receive(due, buffer), now + delay >= opening { next = due }
            send(now)
        } while canReceive
        return next
    }

    private var canReceive: Bool { isReadable && !hasEnded && !isBroken && bytesUnderWay < Self.room }

    /// Reads what the sender has sent.
    ///
    /// Returns true if there are new pieces with a later time than the last one.
    private func receive(_ due: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var isNew = false
        while canReceive {
            let count = recv(source, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                isReadable = false
                return isNew
            }
            hasEnded = count <= 0
            // A short read empties the socket, and later bytes trigger another event.
            isReadable = !hasEnded && (isAtItsEnd || count == buffer.count)
            if hasEnded || pieces.last?.due != due {
                pieces.append(Piece(due: due, bytes: []))
                isNew = true
            }
            if hasEnded { return isNew }
            pieces[pieces.count - 1].bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
            bytesUnderWay += count
        }
        return isNew
    }

    private func send(_ now: Int) {
        var gone = 0
        defer { pieces.removeFirst(gone) }
        while isWritable, !isBroken, gone < pieces.count, pieces[gone].due <= now {
            if pieces[gone].bytes.isEmpty {
                shutdown(target, Int32(SHUT_WR))
                isOver = true
            } else {
                let count = pieces[gone].bytes.withUnsafeBytes { bytes in
                    Glibc.send(
                        target, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
                        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                }
                if count < 0 {
                    isWritable = errno != EAGAIN
                    isBroken = errno != EAGAIN && errno != EINTR
                    continue
                }
                sent += count
                bytesUnderWay -= count
                guard sent == pieces[gone].bytes.count else { continue }
                sent = 0
            }
            gone += 1
        }
    }
}
