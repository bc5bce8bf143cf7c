import FeedCore

/// What an answer's headers say, taken as their lines come: to ask libcurl for each when all are there goes through all
/// of them each time.
struct AnswerHeaders {
    /// What a text that comes in many lines may grow to: each of them copies those before it.
    private static let mostBytes = 16 << 10

    private var head = HTTPHead(status: 0)
    /// Of the line before, which the next may go on with.
    private var last: HTTPHead.Header?
    private(set) var location: String?
    private(set) var codings = BodyCodings()
    private var hasTwoLengths = false

    /// With its end of line.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            append(Self.text(line, from: 0), after: " ")
            return
        }
        last = nil
        // A line of none of them, such as that of the status.
        guard let (name, field) = Self.fields.first(where: { line.isField($0.name) }) else { return }
        let start = name.utf8CodeUnitCount + 1
        switch field {
        case .header(let header): take(Self.text(line, from: start), of: header)
        case .location: if location == nil { location = Self.reference(line, from: start) }
        case .contentEncoding: codings.add(line.dropFirst(start))
        case .transferEncoding: codings.addInTransfer(line.dropFirst(start))
        }
    }

    private mutating func take(_ text: String?, of header: HTTPHead.Header) {
        // Of those that are no list, the first counts.
        if header == .contentLength, text == nil || head[header] ?? text != text { hasTwoLengths = true }
        guard head[header] == nil || header == .link else { return }
        last = header
        append(text, after: ", ")
    }

    /// To the header of the line before, or of this one.
    private mutating func append(_ text: String?, after separator: String) {
        guard let text else {
            last = nil
            return
        }
        guard let last, !text.isEmpty else { return }
        let before = head[last] ?? ""
        if before.isEmpty {
            head[last] = text
        } else if before.utf8.count + text.utf8.count <= Self.mostBytes {
            head[last] = before + separator + text
        }
    }

    /// Whether it can't be known how long the body is (RFC 9112, section 6.3): libcurl takes the first number that it
    /// finds. Chunks say for themselves where they end.
    var isLengthUnclear: Bool {
        guard !codings.isChunked else { return false }
        return hasTwoLengths || head[.contentLength].map { !Self.isOneLength($0) } ?? false
    }

    /// One may be put down several times, as by a proxy that joins lines.
    private static func isOneLength(_ text: String) -> Bool {
        let isDigit: (UInt8) -> Bool = { 0x30...0x39 ~= $0 }
        // As nearly all are.
        if !text.isEmpty, text.utf8.allSatisfy(isDigit) { return true }
        let lengths = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { $0.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
        return lengths.allSatisfy { words in
            words.count == 1 && words[0].allSatisfy(isDigit) && words[0].elementsEqual(lengths[0][0])
        }
    }

    /// Without those that mean nothing in an answer of this status, which are gone from then on.
    mutating func head(status: Int) -> HTTPHead {
        head.status = status
        if status != 200 { head[.link] = nil }
        if status != 206 { head[.contentRange] = nil }
        head.isContentEncoded = codings.coding != nil
        // With less than a strong tag, no rest is asked for; and of an encoded body it is not how long that becomes.
        if status != 200 || head[.etag]?.isStrongTag != true || head.isContentEncoded { head[.contentLength] = nil }
        return head
    }

    private enum Field {
        case header(HTTPHead.Header)
        case location, contentEncoding, transferEncoding
    }

    private static let fields: [(name: StaticString, Field)] = [
        ("etag", .header(.etag)), ("last-modified", .header(.lastModified)), ("content-type", .header(.contentType)),
        ("content-length", .header(.contentLength)), ("link", .header(.link)),
        ("content-range", .header(.contentRange)), ("location", .location), ("content-encoding", .contentEncoding),
        ("transfer-encoding", .transferEncoding),
    ]

    /// Nil if it is no text.
    private static func text(_ line: UnsafeRawBufferPointer, from offset: Int) -> String? {
        do {
            return String(copying: try UTF8Span(validating: value(line, from: offset).span))
        } catch {
            return nil
        }
    }

    /// A URL in another encoding than UTF-8 is followed as browsers do, which percent-encode what is beyond ASCII in it.
    private static func reference(_ line: UnsafeRawBufferPointer, from offset: Int) -> String {
        if let text = text(line, from: offset) { return text }
        var encoded: [UInt8] = []
        for byte in value(line, from: offset) {
            PercentEncoding.append(byte, to: &encoded, isEncoded: byte >= 0x80)
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// What is between the offset and the end, less the white space around it.
    private static func value(_ line: UnsafeRawBufferPointer, from offset: Int) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (offset, line.count)
        while start < end, line[start] <= 0x20 { start += 1 }
        while start < end, line[end - 1] <= 0x20 { end -= 1 }
        return line.bindMemory(to: UInt8.self).extracting(start..<end)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it is a line of the header with this name, which is given in lower case.
    fileprivate func isField(_ name: StaticString) -> Bool {
        guard count > name.utf8CodeUnitCount, self[name.utf8CodeUnitCount] == UInt8(ascii: ":") else { return false }
        for index in 0..<name.utf8CodeUnitCount where self[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }
}
