import Glibc

/// One connection to a `LoopbackServer`, with its own thread.
struct LoopbackConnection {
    /// The time after which a client that accepts no further bytes counts as having stopped reading.
    private static let quietMilliseconds: Int32 = 300

    private let descriptor: Int32
    private let number: Int
    private let server: LoopbackServerState
    private var input: [UInt8] = []

    init(_ descriptor: Int32, number: Int, server: LoopbackServerState) {
        self.descriptor = descriptor
        self.number = number
        self.server = server
    }

    consuming func serve() {
        var ending = Reply.Ending.close
        if let greeting = server.greeting {
            ending = greeting.ending
            if receive() { _ = send(greeting) }
        } else {
            while let request = readRequest() {
                let reply = server.answer(request)
                server.pass(reply.gate)
                ending = reply.ending
                guard send(reply), reply.keepsConnection else { break }
            }
        }
        // Either side closes the socket, and only once: its number may belong to another socket afterwards.
        if case .reset = ending { server.reset(descriptor) } else { finish() }
    }

    /// Closes the connection after reading what is left.
    ///
    /// Closing with unread bytes would reset the connection, and the client could lose the end of the response.
    private func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        server.end(descriptor)
    }

    private func send(_ reply: Reply) -> Bool {
        if let pause = reply.drip { return send(reply.head) && drip(reply.body, every: pause) }
        let stop = min(reply.stall?.after ?? reply.body.count, reply.body.count)
        guard send(reply.head + framed(reply.body[..<stop], reply.framing)) else { return false }
        server.pass(reply.stall?.gate)
        guard send(framed(reply.body[stop...], reply.framing)) else { return false }
        while !reply.endless.isEmpty { guard send(reply.endless) else { return false } }
        if case .chunked = reply.framing, case .keepAlive = reply.ending { return send(Array("0\r\n\r\n".utf8)) }
        return true
    }

    private func drip(_ bytes: [UInt8], every pause: Int32) -> Bool {
        for byte in bytes {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, pause) == 0, send([byte]) else { return false }
        }
        return true
    }

    private func framed(_ part: ArraySlice<UInt8>, _ framing: Reply.Framing) -> [UInt8] {
        guard case .chunked(let size) = framing else { return Array(part) }
        var framed: [UInt8] = []
        var rest = part
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(size)
            framed += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return framed
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count >= 0 {
                    offset += count
                    server.sent.add(count)
                } else if errno == EAGAIN {
                    waitForRoom()
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    private func waitForRoom() {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&polled, 1, Self.quietMilliseconds) == 0 else { return }
        server.blocked.add(1)
        while poll(&polled, 1, -1) < 0, errno == EINTR {}
    }
}

extension LoopbackConnection {
    /// Reads a request.
    ///
    /// Returns nil at the end of the connection, or for bytes that are not a request.
    private mutating func readRequest() -> LoopbackServer.Request? {
        while true {
            if let end = endOfHead {
                let head = String(decoding: input[..<end], as: UTF8.self)
                input.removeFirst(end + 4)
                return request(head)
            }
            guard receive() else { return nil }
        }
    }

    private var endOfHead: Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard input.count >= mark.count else { return nil }
        return (0...(input.count - mark.count)).first { input[$0..<($0 + mark.count)].elementsEqual(mark) }
    }

    private mutating func receive() -> Bool {
        let received = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
            count = max(recv(descriptor, buffer.baseAddress, buffer.count, 0), 0)
        }
        input += received
        return !received.isEmpty
    }

    private func request(_ head: String) -> LoopbackServer.Request? {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        let headers = lines.dropFirst().compactMap { line -> LoopbackServer.Request.Header? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return LoopbackServer.Request.Header(name: line[..<colon].lowercased(), value: String(value))
        }
        return LoopbackServer.Request(
            method: String(words[0]), path: String(words[1]), headers: headers, connection: number)
    }
}
