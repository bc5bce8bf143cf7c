/// What a `LoopbackServer` answers with, and how it misbehaves.
package struct Reply: CustomStringConvertible, Sendable {
    package enum Framing: Sendable {
        case contentLength
        /// Announces this many bytes whatever the body has. With a body that is shorter, close or reset after it.
        case announced(Int)
        /// Not ended properly unless the connection is kept.
        case chunked(size: Int)
        /// Nothing is announced; the end of the connection is the end of the body.
        case untilClosed
        /// The body alone is sent, as it is: no status line, no headers.
        case raw
    }

    package enum Ending: Sendable { case keepAlive, close, reset }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var framing: Framing
    package var ending: Ending
    /// Passed before the first byte of the answer.
    package var gate: Gate?
    /// Passed once so many bytes of the body are sent.
    package var stall: (after: Int, gate: Gate)?
    /// The body is sent a byte at a time, with so many milliseconds before each.
    package var drip: Int32?
    /// Sent after the rest, over and over, until the other side closes.
    package var endless: [UInt8] = []

    package init(
        _ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        framing: Framing = .contentLength, ending: Ending = .keepAlive, gate: Gate? = nil,
        stall: (after: Int, gate: Gate)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
        self.ending = ending
        self.gate = gate
        self.stall = stall
    }

    package var description: String {
        "\(status) \(headers.map { "\($0): \($1)" }), \(body.count) bytes, \(framing)"
    }

    package static func text(_ text: String, type: String = "application/json") -> Reply {
        Reply(headers: [("Content-Type", type)], body: Array(text.utf8))
    }

    /// Sent as they are, whole answers or none at all.
    package static func raw(_ text: String, ending: Ending = .close) -> Reply {
        Reply(body: Array(text.utf8), framing: .raw, ending: ending)
    }

    package static func raw(_ bytes: [UInt8], ending: Ending = .close) -> Reply {
        Reply(body: bytes, framing: .raw, ending: ending)
    }

    /// Sent as it stands; then what comes without end.
    package static func raw(_ text: String, thenEndless endless: String) -> Reply {
        var reply = raw(text)
        // In large pieces: the test is not of this machine's system calls.
        let unit = Array(endless.utf8)
        while !unit.isEmpty, reply.endless.count < 32 << 10 { reply.endless += unit }
        return reply
    }

    /// Sent as it stands; then nothing more, and the connection stays.
    package static func raw(_ text: String, thenSilent gate: Gate) -> Reply {
        var reply = raw(text)
        reply.stall = (text.utf8.count, gate)
        return reply
    }

    /// A few bytes that together take longer than anybody waits, though each comes soon.
    package static func dripping(_ body: [UInt8]) -> Reply {
        var reply = Reply(body: body)
        reply.drip = 20
        return reply
    }

    /// Announces the whole body and breaks off after some of it.
    package static func cutOff(after bytes: Int, of body: [UInt8], ending: Ending = .close) -> Reply {
        Reply(body: Array(body.prefix(bytes)), framing: .announced(body.count), ending: ending)
    }

    package static func redirect(_ status: Int = 302, to target: String) -> Reply {
        Reply(status, headers: [("Location", target)])
    }

    /// The body with its validators, or 304 to a request that has them already.
    package static func validated(
        _ body: [UInt8], etag: String? = nil, lastModified: String? = nil, for request: LoopbackServer.Request
    ) -> Reply {
        var headers: [(name: String, value: String)] = []
        if let etag { headers.append(("ETag", etag)) }
        if let lastModified { headers.append(("Last-Modified", lastModified)) }
        let isKnown =
            if let asked = request.header("if-none-match") {
                asked == etag
            } else if let asked = request.header("if-modified-since") {
                asked == lastModified
            } else {
                false
            }
        return isKnown ? Reply(304, headers: headers) : Reply(headers: headers, body: body)
    }

    /// What stands before the body.
    var head: [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(status == 200 ? "OK" : "Whatever")"]
        switch framing {
        case .raw: return []
        case .contentLength where status == 304 || status == 204 || status < 200: break
        case .contentLength: lines.append("Content-Length: \(body.count)")
        case .announced(let count): lines.append("Content-Length: \(count)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .untilClosed: lines.append("Connection: close")
        }
        for header in headers { lines.append("\(header.name): \(header.value)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Whether the connection serves for another request.
    var keepsConnection: Bool {
        guard case .keepAlive = ending else { return false }
        switch framing {
        case .contentLength, .chunked: return true
        case .announced(let count): return count == body.count
        case .untilClosed, .raw: return false
        }
    }
}
