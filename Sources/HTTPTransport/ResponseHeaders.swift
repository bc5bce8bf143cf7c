import FeedCore

/// Collects the headers of a response line by line: asking libcurl for each header afterwards searches all of them each
/// time.
struct ResponseHeaders {
    /// The largest size of a header that is joined from several lines: each line copies the earlier ones.
    private static let mostBytes = 16 << 10

    private var head = HTTPHead(status: 0)
    /// The header of the previous line, which the next line may continue.
    private var last: HTTPHead.Header?
    private(set) var location: String?
    private(set) var codings = BodyCodings()
    private var hasTwoLengths = false

    /// Reads a header line, including its line break.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            append(Self.text(line, from: 0), after: " ")
            return
        }
        last = nil
        // Other lines, such as the status line, are ignored.
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
        // The first line counts, except for lists.
        if header == .contentLength, text == nil || head[header] ?? text != text { hasTwoLengths = true }
        guard head[header] == nil || header == .link else { return }
        last = header
        append(text, after: ", ")
    }

    /// Appends the text to the header of the current or the previous line.
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

    /// Whether the length of the body is ambiguous (RFC 9112, section 6.3): libcurl would take the first number.
    ///
    /// Chunked bodies have lengths of their own.
    var isLengthUnclear: Bool {
        guard !codings.isChunked else { return false }
        return hasTwoLengths || head[.contentLength].map { !Self.isOneLength($0) } ?? false
    }

    /// Returns whether the text is one length, which may be repeated: some proxies join lines.
    private static func isOneLength(_ text: String) -> Bool {
        let isDigit: (UInt8) -> Bool = { 0x30...0x39 ~= $0 }
        // Nearly all responses end here.
        if !text.isEmpty, text.utf8.allSatisfy(isDigit) { return true }
        let lengths = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { $0.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
        return lengths.allSatisfy { words in
            words.count == 1 && words[0].allSatisfy(isDigit) && words[0].elementsEqual(lengths[0][0])
        }
    }

    /// Returns the head, after removing the headers that are meaningless with this status.
    mutating func head(status: Int) -> HTTPHead {
        head.status = status
        if status != 200 { head[.link] = nil }
        if status != 206 { head[.contentRange] = nil }
        head.isContentEncoded = codings.coding != nil
        // Only a response with a strong entity tag can be continued, and the length of a compressed body differs from
        // the decoded length.
        if status != 200 || head[.etag]?.isStrongTag != true || head.isContentEncoded { head[.contentLength] = nil }
        return head
    }

    private enum HeaderField {
        case header(HTTPHead.Header)
        case location, contentEncoding, transferEncoding
    }

    private static let fields: [(name: StaticString, HeaderField)] = [
        ("etag", .header(.etag)), ("last-modified", .header(.lastModified)), ("content-type", .header(.contentType)),
        ("cache-control", .header(.cacheControl)), ("content-length", .header(.contentLength)),
        ("link", .header(.link)),
        ("content-range", .header(.contentRange)), ("location", .location), ("content-encoding", .contentEncoding),
        ("transfer-encoding", .transferEncoding),
    ]

    /// Returns the value as text; nil if it is invalid UTF-8.
    private static func text(_ line: UnsafeRawBufferPointer, from offset: Int) -> String? {
        do {
            return String(copying: try UTF8Span(validating: value(line, from: offset).span))
        } catch {
            return nil
        }
    }

    /// Returns the value as a URL.
    ///
    /// Like browsers, it percent-encodes bytes of another encoding than UTF-8.
    private static func reference(_ line: UnsafeRawBufferPointer, from offset: Int) -> String {
        if let text = text(line, from: offset) { return text }
        var encoded: [UInt8] = []
        for byte in value(line, from: offset) {
            PercentEncoding.append(byte, to: &encoded, isEncoded: byte >= 0x80)
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns the bytes from the offset to the end, without surrounding white space.
    private static func value(_ line: UnsafeRawBufferPointer, from offset: Int) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (offset, line.count)
        while start < end, line[start] <= 0x20 { start += 1 }
        while start < end, line[end - 1] <= 0x20 { end -= 1 }
        return line.bindMemory(to: UInt8.self).extracting(start..<end)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether the line has this header name, which is given in lower case.
    fileprivate func isField(_ name: StaticString) -> Bool {
        guard count > name.utf8CodeUnitCount, self[name.utf8CodeUnitCount] == UInt8(ascii: ":") else { return false }
        for index in 0..<name.utf8CodeUnitCount where self[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }
}

/// The codings of a response body.
struct BodyCodings {
    /// The supported codings, whose window is 32 KB.
    ///
    /// With other codings, a body of kilobytes could demand many megabytes.
    enum Coding { case gzip, deflate }

    static let offered = "gzip, deflate"
    /// The number of codings that a message lists; more than one is an error.
    private static let mostNames = 4

    /// The known codings.
    ///
    /// Other values, which some object stores set, are ignored.
    private var names: [String] = []
    /// The transfer codings, which the client never asks for.
    private var namesInTransfer: [String] = []
    private(set) var isChunked = false

    /// Adds the codings of a line.
    ///
    /// A response may have several such lines.
    mutating func add(_ value: some Sequence<UInt8>) { Self.add(value, to: &names, where: Self.exists) }

    /// Adds the transfer codings of a line, except chunks, which libcurl decodes.
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
            // The name is cut, because a message may quote it.
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

    /// The coding of the body; nil for a plain one.
    var coding: Coding? { names.first.flatMap(Self.coding) }

    /// The reason to reject the body, or nil.
    ///
    /// Several layers of compression could expand to terabytes.
    var problem: String? {
        let all = namesInTransfer + names
        if all.count > 1 { return "the body is encoded more than once: \(all.joined(separator: ", "))" }
        if let name = namesInTransfer.first { return "the body is encoded as \(name) on its way, unasked for" }
        guard let name = names.first, coding == nil else { return nil }
        return "the body is encoded as \(name), which can't be decoded: \(Self.offered) can"
    }
}
