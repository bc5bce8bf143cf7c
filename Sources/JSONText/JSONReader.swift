/// Reads a JSON text (RFC 8259) from front to back, one value at a time. It builds only the values that the caller reads,
/// and checks those that the caller skips, too.
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
    /// The offset of the next byte. Before the caller reads a value, this is the value's first byte.
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

    /// Reads the next member's name. At the end it leaves the object and returns nil.
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

    /// Returns whether there is a next element. At the end it leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(until: UInt8(ascii: "]"), "']'")
    }

    // MARK: Values

    /// Reads a string. A string of more than `longest` bytes is an error, and costs no memory.
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

    /// Skips the next value. The recursion is as deep as the nesting, which `maxDepth` limits.
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
    /// The next byte. At the end it is 0, which every rule rejects.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Returns whether the bytes begin with a byte order mark. A script that joins files leaves one for each file.
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

    /// Moves to the opening quote of the next member's name. At the end it leaves the object and returns false.
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
    mutating func skipWord(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw expected("'\(word)'") }
            position += 1
        }
    }

    mutating func skipNumber() throws(JSONError) {
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") {
            position += 1
            guard !isDigit(next) else { throw malformed("a number must not begin with 0") }
        } else {
            try skipDigits()
        }
        if next == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        guard isDigit(next) else { throw expected("a digit") }
        while isDigit(next) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
