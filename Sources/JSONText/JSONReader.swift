/// Reads a JSON text (RFC 8259) from front to back, one value at a time.
///
/// It builds only the values that the caller reads, and checks those that the caller skips, too.
///
///     var reader = JSONReader(bytes)
///     try reader.enterObject()
///     while let name = try reader.nextMember() {
///         if name == "title" { title = try reader.readString() } else { try reader.skipValue() }
///     }
///     try reader.finish()
///
/// After `nextMember` or `nextElement`, the caller must read or skip exactly one value.
package struct JSONReader: ~Copyable {
    package enum Kind: Hashable, Sendable {
        case object, array, string, number, bool, null
    }

    let bytes: [UInt8]
    /// The offset of the next byte.
    ///
    /// Before the caller reads a value, this is the value's first byte.
    package internal(set) var position: Int
    let maxDepth: Int
    var depth = 0
    /// Whether the next value is the first after an opening bracket, so that no comma is due.
    var isFirst = true

    package init(_ bytes: [UInt8], maxDepth: Int = 512) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        position = 0
        skipWhitespace()
        while Self.hasByteOrderMark(bytes[position...]) {
            position += 3
            skipWhitespace()
        }
    }

    /// Returns the kind of the next value, by its first byte.
    package func peek() throws(JSONError) -> Kind {
        switch next {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: throw expected("a value")
        }
    }

    /// Checks that only white space follows the value.
    package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard position == bytes.count else { throw expected("the end of the text") }
    }

    // MARK: Objects and arrays

    package mutating func enterObject() throws(JSONError) {
        try require(.object, "not an object")
        try enter()
    }

    /// Reads the next member's name.
    ///
    /// At the end it leaves the object and returns nil.
    package mutating func nextMember(longest: Int = .max) throws(JSONError) -> String? {
        guard try advanceToName() else { return nil }
        let name = try scanString(longest: longest)
        try skipColon()
        return name
    }

    package mutating func enterArray() throws(JSONError) {
        try require(.array, "not an array")
        try enter()
    }

    /// Returns whether there is a next element.
    ///
    /// At the end it leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(until: UInt8(ascii: "]"), "']'")
    }

    // MARK: Values

    /// Reads a string.
    ///
    /// A string of more than `longest` bytes is an error, and costs no memory.
    package mutating func readString(longest: Int = .max) throws(JSONError) -> String {
        try require(.string, "not a string")
        return try scanString(longest: longest)
    }

    package mutating func readNull() throws(JSONError) {
        try require(.null, "not null")
        try skipWord("null")
    }

    /// Reads a number, and returns its spelling.
    package mutating func readNumberText() throws(JSONError) -> String {
        try require(.number, "not a number")
        let start = position
        try skipNumber()
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    package mutating func readInt() throws(JSONError) -> Int {
        try require(.number, "not a number")
        let start = position
        try skipNumber()
        guard let number = Int(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw mismatch("not an integer of 64 bits", at: start)
        }
        return number
    }

    /// Skips the next value, and returns its text.
    package mutating func readValueText() throws(JSONError) -> String {
        _ = try peek()
        let start = position
        try skipValue()
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Skips the next value.
    ///
    /// The recursion is as deep as the nesting, which `maxDepth` limits.
    package mutating func skipValue() throws(JSONError) {
        switch try peek() {
        case .object:
            try enter()
            while try skipName() { try skipValue() }
        case .array:
            try enter()
            while try nextElement() { try skipValue() }
        case .string: try skipString()
        case .number: try skipNumber()
        case .bool: try skipWord(next == UInt8(ascii: "t") ? "true" : "false")
        case .null: try skipWord("null")
        }
    }
}

extension JSONReader {
    /// The next byte.
    ///
    /// At the end it is 0, which every rule rejects.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Returns whether the bytes begin with a byte order mark.
    ///
    /// A script that joins files leaves one for each file.
    static func hasByteOrderMark(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    static func lengthOfByteOrderMark(_ bytes: [UInt8]) -> Int { hasByteOrderMark(bytes[...]) ? 3 : 0 }

    func require(_ kind: Kind, _ reason: String) throws(JSONError) {
        guard try peek() == kind else { throw mismatch(reason, at: position) }
    }

    mutating func enter() throws(JSONError) {
        guard depth < maxDepth else { throw malformed("nested more than \(maxDepth) deep") }
        depth += 1
        position += 1
        isFirst = true
        skipWhitespace()
    }

    /// Moves behind the comma before the next member or element, or behind the closing bracket.
    mutating func advance(until bracket: UInt8, _ bracketName: String) throws(JSONError) -> Bool {
        skipWhitespace()
        if next == bracket {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard next == UInt8(ascii: ",") else { throw expected("',' or \(bracketName)") }
        position += 1
        skipWhitespace()
        return true
    }

    /// Moves to the opening quote of the next member's name.
    ///
    /// At the end it leaves the object and returns false.
    mutating func advanceToName() throws(JSONError) -> Bool {
        guard try advance(until: UInt8(ascii: "}"), "'}'") else { return false }
        guard next == UInt8(ascii: "\"") else { throw expected("a member's name in quotes") }
        return true
    }

    mutating func skipName() throws(JSONError) -> Bool {
        guard try advanceToName() else { return false }
        try skipString()
        try skipColon()
        return true
    }

    mutating func skipColon() throws(JSONError) {
        skipWhitespace()
        guard next == UInt8(ascii: ":") else { throw expected("':'") }
        position += 1
        skipWhitespace()
    }

    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The character at the position, for a message.
    var foundHere: String {
        guard position < bytes.count else { return "the end of the text" }
        let byte = bytes[position]
        guard byte > 0x20, byte < 0x7F else {
            let digits = String(byte, radix: 16, uppercase: true)
            return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
        }
        return "'\(Character(Unicode.Scalar(byte)))'"
    }
}

extension JSONReader {
    /// Returns an error about the value that begins at `position`, or about its member.
    package func mismatch(_ reason: String, at position: Int, member: String? = nil) -> JSONError {
        error(.mismatch, reason, at: position, member: member)
    }

    func malformed(_ reason: String) -> JSONError { error(.malformed, reason, at: position) }

    func expected(_ what: String) -> JSONError { malformed("expected \(what), found \(foundHere)") }

    private func error(
        _ kind: JSONError.Kind, _ reason: String, at offset: Int, member: String? = nil
    ) -> JSONError {
        var line = 1
        var column = 1
        for byte in bytes[..<offset].dropFirst(Self.lengthOfByteOrderMark(bytes)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        var path = JSONPath(to: offset, in: bytes)
        if let member { path.append(name: member) }
        return JSONError(kind: kind, line: line, column: column, path: path.text, reason: reason)
    }
}

/// The path from the top of a text to one of its values.
///
/// Only an error computes it, by scanning the text again up to the value. The text before the value must be
/// well-formed.
struct JSONPath {
    private enum Step {
        case element(Int)
        /// The range of the member's name; nil before the name has been read.
        case member(Range<Int>?)
    }

    private(set) var text = ""
    private var stepsWritten = 0
    private static let longest = 16

    init(to offset: Int, in bytes: [UInt8]) {
        for step in Self.steps(to: offset, in: bytes) {
            switch step {
            case .element(let index): append("[\(index)]")
            case .member(let name?): append(name: Self.decode(name, of: bytes))
            case .member(nil): break
            }
        }
    }

    mutating func append(name: String) {
        let isPlain = !name.isEmpty && name.utf8.count <= 40 && name.utf8.allSatisfy(Self.isPlain)
        append(isPlain ? (text.isEmpty ? name : ".\(name)") : "[\(JSONWriter.quote(name, limit: 40))]")
    }

    private mutating func append(_ step: String) {
        stepsWritten += 1
        guard stepsWritten <= Self.longest else {
            if stepsWritten == Self.longest + 1 { text += "…" }
            return
        }
        text += step
    }

    /// Returns the name without its escapes, or as written if the escapes are invalid.
    private static func decode(_ name: Range<Int>, of bytes: [UInt8]) -> String {
        var reader = JSONReader(Array(bytes[name.lowerBound - 1...name.upperBound]))
        do {
            return try reader.readString()
        } catch {
            return String(decoding: bytes[name], as: UTF8.self)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func steps(to offset: Int, in bytes: [UInt8]) -> [Step] {
        var steps: [Step] = []
        var position = 0
        while position < min(offset, bytes.count) {
            switch bytes[position] {
            case UInt8(ascii: "{"): steps.append(.member(nil))
            case UInt8(ascii: "["): steps.append(.element(0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = steps.popLast()
            case UInt8(ascii: ","):
                switch steps.popLast() {
                case .element(let index): steps.append(.element(index + 1))
                case .member: steps.append(.member(nil))
                case nil: break
                }
            case UInt8(ascii: "\""):
                let start = position + 1
                position = endOfString(from: start, in: bytes)
                guard position < offset else { return steps }
                if case .member(nil) = steps.last { steps[steps.count - 1] = .member(start..<position) }
            default: break
            }
            position += 1
        }
        return steps
    }

    private static func endOfString(from start: Int, in bytes: [UInt8]) -> Int {
        var position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position, bytes.count)
    }
}

/// The reason why a JSON text could not be read, and where.
///
/// Text that it quotes from the input is escaped and shortened.
package struct JSONError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The text is not JSON.
        case malformed
        /// The text is JSON, but a value differs from the one that the caller expects.
        case mismatch
        /// The text is valid, and the caller cancelled the reading.
        case cancelled
    }

    package let kind: Kind
    /// The line, counted from 1, and the column, counted in characters from 1.
    package let line: Int
    package let column: Int
    /// The path of the value, such as `items[3].image`; empty for the whole text.
    package let path: String
    package let reason: String

    package static let cancelled = JSONError(kind: .cancelled, line: 1, column: 1, path: "", reason: "cancelled")
}

extension JSONError: CustomStringConvertible {
    /// The message, with the position of a syntax error or the path of a wrong value.
    package var description: String {
        switch kind {
        case .malformed: "line \(line), column \(column): \(reason)" + (path.isEmpty ? "" : " (in \(path))")
        case .mismatch, .cancelled: path.isEmpty ? reason : "\(path): \(reason)"
        }
    }
}
