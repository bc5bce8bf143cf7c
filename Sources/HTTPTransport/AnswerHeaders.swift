import FeedCore

/// What an answer's headers say, taken as their lines come: to ask libcurl for each when all are there goes through all
/// of them each time.
struct AnswerHeaders {
    /// What a text that comes in many lines may grow to: each of them copies those before it.
    private static let mostBytes = 16 << 10

    private var head = HTTPHead(status: 0)
    /// Of the line before, which the next may go on with.
    private var last: HTTPHead.Header?

    /// With its end of line. The line of a status begins anew: what came before was an interim answer's.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/") {
            self = AnswerHeaders()
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            if let last, let text = Self.text(line, from: 0) { append(" " + text, to: last) }
        } else {
            takeField(line)
        }
    }

    private mutating func takeField(_ line: UnsafeRawBufferPointer) {
        last = nil
        guard let (name, header) = Self.names.first(where: { line.isField($0.name) }),
            let text = Self.text(line, from: name.utf8CodeUnitCount + 1)
        else { return }
        if head[header] == nil {
            head[header] = text
        } else if header == .link {
            append(", " + text, to: header)
        } else {
            // Of those that are no list, the first counts.
            return
        }
        last = header
    }

    private mutating func append(_ text: String, to header: HTTPHead.Header) {
        let before = head[header] ?? ""
        if before.utf8.count + text.utf8.count <= Self.mostBytes { head[header] = before + text }
    }

    /// Without those that mean nothing in an answer of this status.
    func head(status: Int) -> HTTPHead {
        var head = head
        head.status = status
        if status != 200 { head[.link] = nil }
        if status != 206 { head[.contentRange] = nil }
        if status < 400 { head[.retryAfter] = nil }
        return head
    }

    var isContentEncoded: Bool { head.isContentEncoded }

    private static let names: [(name: StaticString, header: HTTPHead.Header)] = [
        ("etag", .etag), ("last-modified", .lastModified), ("content-type", .contentType), ("link", .link),
        ("retry-after", .retryAfter), ("content-range", .contentRange), ("content-encoding", .contentEncoding),
    ]

    /// What is between the offset and the end, less the white space around it; nil if nothing is, or if it is no text.
    private static func text(_ line: UnsafeRawBufferPointer, from offset: Int) -> String? {
        var (start, end) = (offset, line.count)
        while start < end, line[start] <= 0x20 { start += 1 }
        while start < end, line[end - 1] <= 0x20 { end -= 1 }
        if start == end { return nil }
        do {
            let bytes = line.bindMemory(to: UInt8.self).extracting(start..<end)
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            return nil
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether it is a line of the header with this name, which is given in lower case.
    fileprivate func isField(_ name: StaticString) -> Bool {
        guard count > name.utf8CodeUnitCount, self[name.utf8CodeUnitCount] == UInt8(ascii: ":") else { return false }
        for index in 0..<name.utf8CodeUnitCount where self[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }
}
