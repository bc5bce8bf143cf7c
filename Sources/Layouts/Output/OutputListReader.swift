internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Reads a list of own files.
///
/// Version 1 lacks the lines of trees: `image`, `sidecar`, `feed`, `number` and `deleted`.
struct OutputListReader {
    private static let headings = ["feedsync output 1", OutputList.heading]
    /// The size of a line about a file with a name of usual length.
    private static let usualLine = 200

    private var list = OutputList()
    /// The feed that the lines `number` and `deleted` belong to.
    private var feed: FeedTag?
    private var numbers = 0

    private init() {}

    /// Reads a list.
    ///
    /// Throws `EINVAL` at the first malformed line.
    static func read(_ file: Descriptor) throws(SystemError) -> OutputList {
        var reader = OutputListReader()
        reader.list.entries.reserveCapacity(Int(try file.status().st_size) / usualLine)
        var (rest, offset, number) = ([UInt8](), 0, 0)
        while case let chunk = try file.read(1 << 18, at: offset), !chunk.isEmpty {
            offset += chunk.count
            rest += chunk
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let line = rest[start..<end]
                let isValid = number == 1 ? headings.contains { line.elementsEqual($0.utf8) } : reader.add(line)
                guard isValid else { throw damaged(at: number, in: file) }
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= 4 * ListLine.maxPathLength else { throw damaged(at: number + 1, in: file) }
        }
        guard number > 0, rest.isEmpty else { throw damaged(at: number + 1, in: file) }
        return reader.list
    }

    private static func damaged(at line: Int, in file: Descriptor) -> SystemError {
        SystemError(EINVAL, "line \(line) is damaged", file.path)
    }

    /// Adds a line to the list.
    ///
    /// Returns false for a malformed line.
    private mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
        var line = ListLine(line)
        switch line.kind() {
        case "file": return addFile(&line, nil)
        case "sidecar": return addFile(&line, .sidecar)
        case "image":
            guard let feed = line.tag(), let date = line.number() else { return false }
            return addFile(&line, .image(of: FeedTag(bits: feed), date: Timestamp(microseconds: Int64(date))))
        case "plan":
            guard let content = line.content(), let path = line.path(), list.entries[path]?.planned == nil,
                list.entries.count < OutputList.maxEntries
            else { return false }
            list.entries[path, default: .init()].planned = content
        case "directory":
            guard let path = line.path(), list.directories.count < OutputList.maxEntries else { return false }
            return list.directories.insert(path).inserted
        case "part":
            guard list.part == nil, let name = line.path(), !name.contains("/") else { return false }
            list.part = name
        case "key":
            guard list.key == nil, let text = line.text(), GalleryKey.isValid(text) else { return false }
            list.key = text
        case "at":
            // The path of the output directory is there for people, and is skipped.
            return true
        case let kind: return addMemory(kind, &line)
        }
        return true
    }

    private mutating func addFile(_ line: inout ListLine, _ purpose: TreePurpose?) -> Bool {
        guard let content = line.content(), let seconds = line.number(), let nanoseconds = line.number(),
            let nanoseconds = Int32(exactly: nanoseconds), let path = line.path(), list.entries[path]?.own == nil,
            list.entries.count < OutputList.maxEntries
        else { return false }
        let own = OwnFile(content: content, modified: FileTime(seconds: seconds, nanoseconds: nanoseconds))
        list.entries[path, default: .init()].own = own
        list.entries[path, default: .init()].purpose = purpose
        return true
    }

    /// Adds a line about a feed of a tree.
    private mutating func addMemory(_ kind: String, _ line: inout ListLine) -> Bool {
        if kind == "feed" {
            guard let tag = line.tag(), let next = line.lastNumber(), next > 0 else { return false }
            let tagged = FeedTag(bits: tag)
            guard list.memory.feeds[tagged] == nil else { return false }
            list.memory.feeds[tagged] = TreeMemory.FeedMemory(next: next)
            feed = tagged
            return true
        }
        guard let feed else { return false }
        switch kind {
        case "number":
            guard let id = line.tag(), let number = line.lastNumber(), let number = Int32(exactly: number), number > 0,
                numbers < OutputList.maxEntries
            else { return false }
            numbers += 1
            return list.memory.feeds[feed]?.numbers.updateValue(number, forKey: id) == nil
        case "deleted": return line.lastDigest().map { list.memory.feeds[feed]?.deletedImages.insert($0) } != nil
        case "deleted-sidecar":
            return line.lastDigest().map { list.memory.feeds[feed]?.deletedSidecars.insert($0) } != nil
        default: return false
        }
    }
}

/// Reads one line of a list: fields with a blank between them, of which the last may contain blanks.
struct ListLine {
    static let maxPathLength = 4096

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the field before the next blank, or nil at the last field.
    private mutating func field() -> ArraySlice<UInt8>? {
        guard let blank = rest.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        defer { rest = rest[(blank + 1)...] }
        return rest[..<blank]
    }

    /// Returns the first word of the line; an empty text for a line without a blank.
    mutating func kind() -> String { field().map { String(decoding: $0, as: UTF8.self) } ?? "" }

    mutating func content() -> FileContent? {
        guard let field = field(), let digest = Digest(hex: String(decoding: field, as: UTF8.self)),
            let size = number(), size >= 0
        else { return nil }
        return FileContent(digest: digest, size: Int64(size))
    }

    mutating func number() -> Int? { field().flatMap(Self.number) }

    mutating func tag() -> UInt64? {
        guard let field = field() else { return nil }
        let text = String(decoding: field, as: UTF8.self)
        return UInt64(text).flatMap { String($0) == text ? $0 : nil }
    }

    func lastNumber() -> Int? { Self.number(rest) }

    func lastDigest() -> Digest? { Digest(hex: String(decoding: rest, as: UTF8.self)) }

    func text() -> String? { String(validating: rest, as: UTF8.self) }

    /// Reads a number.
    ///
    /// Returns nil for any spelling except the usual one.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard (1...18).contains(digits.count), digits.count == 1 && !isNegative || digits.first != UInt8(ascii: "0")
        else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return isNegative ? -number : number
    }

    /// Reads the path at the end of the line.
    ///
    /// Returns nil if it leads out of the output directory or if feedsync makes no such paths.
    func path() -> String? {
        guard rest.count <= Self.maxPathLength else { return nil }
        var (length, dots) = (0, 0)
        for byte in rest {
            if byte == UInt8(ascii: "/") {
                // The name before the slash is neither empty nor one of the names `.` and `..`.
                guard length > 0, length > 2 || dots < length else { return nil }
                (length, dots) = (0, 0)
            } else {
                guard byte >= 0x20, byte != 0x7F else { return nil }
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        guard length > 0, length > 2 || dots < length else { return nil }
        return String(validating: rest, as: UTF8.self)
    }
}
