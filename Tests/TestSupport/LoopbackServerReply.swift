/// A reply of a `LoopbackServer`, including its misbehaviour.
package struct Reply: CustomStringConvertible, Sendable {
    package enum Framing: Sendable {
        case contentLength
        /// Announces this many bytes, whatever the length of the body. After a shorter body, the reply has to close or
        /// reset the connection.
        case announced(Int)
        /// Sends the body in chunks. The last chunk is missing unless the connection is kept.
        case chunked(size: Int)
        /// Announces no length: the end of the connection is the end of the body.
        case untilClosed
        /// Sends only the body, without a status line and headers.
        case raw
    }

    package enum Ending: Sendable { case keepAlive, close, reset }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var framing: Framing
    package var ending: Ending
    /// The gate to pass before the first byte of the reply.
    package var gate: Gate?
    /// The gate to pass after this many bytes of the body.
    package var stall: (after: Int, gate: Gate)?
    /// The delay in milliseconds before each single byte of the body.
    package var drip: Int32?
    /// The bytes to repeat after the rest until the client closes the connection.
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

    /// Returns a reply of these bytes, which may be one whole response, several or none.
    package static func raw(_ text: String, ending: Ending = .close) -> Reply {
        Reply(body: Array(text.utf8), framing: .raw, ending: ending)
    }

    package static func raw(_ bytes: [UInt8], ending: Ending = .close) -> Reply {
        Reply(body: bytes, framing: .raw, ending: ending)
    }

    /// Returns a reply of these bytes, followed by others without end.
    package static func raw(_ text: String, thenEndless endless: String) -> Reply {
        var reply = raw(text)
        // The pieces are large, because the test is not about system calls.
        let unit = Array(endless.utf8)
        while !unit.isEmpty, reply.endless.count < 32 << 10 { reply.endless += unit }
        return reply
    }

    /// Returns a reply of these bytes, after which the connection stays open and silent.
    package static func raw(_ text: String, thenSilent gate: Gate) -> Reply {
        var reply = raw(text)
        reply.stall = (text.utf8.count, gate)
        return reply
    }

    /// Returns a reply whose few bytes each arrive soon, but take very long in total.
    package static func dripping(_ body: [UInt8]) -> Reply {
        var reply = Reply(body: body)
        reply.drip = 20
        return reply
    }

    /// Returns a reply that announces the whole body and breaks off after a part of it.
    package static func cutOff(after bytes: Int, of body: [UInt8], ending: Ending = .close) -> Reply {
        Reply(body: Array(body.prefix(bytes)), framing: .announced(body.count), ending: ending)
    }

    package static func redirect(_ status: Int = 302, to target: String) -> Reply {
        Reply(status, headers: [("Location", target)])
    }

    /// Returns the body with its validators, or 304 for a request that already has them.
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

    /// The bytes before the body.
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

    /// Whether the connection can carry another request.
    var keepsConnection: Bool {
        guard case .keepAlive = ending else { return false }
        switch framing {
        case .contentLength, .chunked: return true
        case .announced(let count): return count == body.count
        case .untilClosed, .raw: return false
        }
    }
}
