/// Reads a JSON text (RFC 8259) front to back, as its caller asks for it. It builds nothing but what the caller asks for,
/// and checks what it skips all the same.
///
///     var reader = JSONReader(bytes)
///     try reader.enterObject()
///     while let name = try reader.nextMember() {
///         if name == "title" { title = try reader.readString() } else { try reader.skipValue() }
///     }
///     try reader.finish()
///
/// After `nextMember` or `nextElement` exactly one value must be read or skipped.
package struct JSONReader: ~Copyable {
    package enum Kind: Hashable, Sendable {
        case object, array, string, number, bool, null
    }

    let bytes: [UInt8]
    /// The place of the next byte. Before the caller asks for a value, this is the value's first byte.
    package internal(set) var position: Int
    let maxDepth: Int
    var depth = 0
    /// Nothing has been read since the last opening bracket, so that no comma is due.
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

    /// The kind of the next value, by its first byte.
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

    /// Nothing but white space may follow the value.
    package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard position == bytes.count else { throw expected("the end of the text") }
    }

    // MARK: Objects and arrays

    package mutating func enterObject() throws(JSONError) {
        try require(.object, "not an object")
        try enter()
    }

    /// The next member's name; nil at the end of the object, which is left.
    package mutating func nextMember() throws(JSONError) -> String? {
        guard try goToName() else { return nil }
        let name = try scanString()
        try skipColon()
        return name
    }

    package mutating func enterArray() throws(JSONError) {
        try require(.array, "not an array")
        try enter()
    }

    /// Whether there is a next element; if not, the array is left.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try goOn(until: UInt8(ascii: "]"), "']'")
    }

    // MARK: Values

    package mutating func readString() throws(JSONError) -> String {
        try require(.string, "not a string")
        return try scanString()
    }

    package mutating func readNull() throws(JSONError) {
        try require(.null, "not null")
        try skipWord("null")
    }

    /// The number as it is written.
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

    /// Recurses as deep as the text is nested, and so never deeper than `maxDepth`.
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
