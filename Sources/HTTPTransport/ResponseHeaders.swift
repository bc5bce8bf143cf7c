import FeedCore

/// What an answer's headers say, taken as their lines come: to ask libcurl for each when all are there goes through all
/// of them each time.
struct ResponseHeaders {
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

    private enum HeaderField {
        case header(HTTPHead.Header)
        case location, contentEncoding, transferEncoding
    }

    private static let fields: [(name: StaticString, HeaderField)] = [
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

/// What an answer says that its body is encoded with.
struct BodyCodings {
    /// With a window of 32 KB. Others are not offered: with theirs a body of kilobytes can ask for many megabytes.
    enum Coding { case gzip, deflate }

    static let offered = "gzip, deflate"
    /// More than one is refused, and so many are told of.
    private static let mostNames = 4

    /// Those that there are. Whatever else stands there, by mistake, or for a store of objects' own use, means nothing.
    private var names: [String] = []
    /// Those of the transfer, which were not asked for, whatever they are.
    private var namesInTransfer: [String] = []
    private(set) var isChunked = false

    /// Of a line that may be one of several.
    mutating func add(_ value: some Sequence<UInt8>) { Self.add(value, to: &names, where: Self.exists) }

    /// Of a line on the transfer; its chunks are libcurl's affair.
    mutating func addInTransfer(_ value: some Sequence<UInt8>) {
        var isChunked = isChunked
        Self.add(value, to: &namesInTransfer) { name in
            if name == "chunked" { isChunked = true }
            return name != "chunked" && name != "identity"
        }
        self.isChunked = isChunked
    }

    private static func add(
        _ value: some Sequence<UInt8>, to names: inout [String], where counts: (String) -> Bool
    ) {
        for name in value.split(separator: UInt8(ascii: ",")) where names.count < mostNames {
            // As long as any name, and what of another can be told.
            let name = String(decoding: name.filter { 0x21...0x7E ~= $0 }.prefix(40), as: UTF8.self).lowercased()
            if !name.isEmpty, counts(name) { names.append(name) }
        }
    }

    private static func exists(_ name: String) -> Bool {
        coding(name) != nil || ["br", "zstd", "compress", "x-compress"].contains(name)
    }

    private static func coding(_ name: String) -> Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }

    /// Nil of a body that is as it is.
    var coding: Coding? { names.first.flatMap(Self.coding) }

    /// Why the body is not to be decoded: layers that each hold no more than a little can stand for terabytes.
    var problem: String? {
        let all = namesInTransfer + names
        if all.count > 1 { return "the body is encoded more than once: \(all.joined(separator: ", "))" }
        if let name = namesInTransfer.first { return "the body is encoded as \(name) on its way, unasked for" }
        guard let name = names.first, coding == nil else { return nil }
        return "the body is encoded as \(name), which can't be decoded: \(Self.offered) can"
    }
}
