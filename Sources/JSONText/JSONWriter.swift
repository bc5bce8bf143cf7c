/// Writes a JSON text piece by piece into a buffer.
///
/// The owner may empty the buffer at any time, so that a long text needs little memory. Members keep the order in which
/// they are written.
///
/// Within an object, the caller writes a `name` before every value.
package struct JSONWriter {
    /// The text that has been written since the last drain.
    package private(set) var bytes: [UInt8] = []

    /// Whether a comma must precede the next value.
    private var isCommaDue = false

    package init() {}

    /// Returns the text so far and empties the buffer.
    package mutating func drain() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes a name from the source code, which needs no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        bytes.append(UInt8(ascii: "\""))
        endName()
    }

    package mutating func name(given name: String) {
        separate()
        Self.append(name, to: &bytes)
        endName()
    }

    private mutating func endName() {
        bytes.append(UInt8(ascii: ":"))
        isCommaDue = false
    }

    package mutating func write(_ text: String) {
        separate()
        Self.append(text, to: &bytes)
    }

    package mutating func write(_ number: some FixedWidthInteger) { writeRaw(String(number)) }

    /// Writes the shortest digits that parse as the same number.
    ///
    /// JSON lacks infinities, which become null.
    package mutating func write(_ number: Double) { writeRaw(number.isFinite ? number.description : "null") }

    package mutating func write(_ flag: Bool) { writeRaw(flag ? "true" : "false") }

    package mutating func writeNull() { writeRaw("null") }

    /// Writes a value that another writer has produced.
    package mutating func write(written value: [UInt8]) {
        separate()
        bytes += value
    }

    private mutating func writeRaw(_ text: String) {
        separate()
        bytes += text.utf8
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        isCommaDue = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        isCommaDue = true
    }

    /// Writes the comma between the previous value and the next.
    private mutating func separate() {
        if isCommaDue { bytes.append(UInt8(ascii: ",")) }
        isCommaDue = true
    }
}

// MARK: - Members in one go

extension JSONWriter {
    package mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        write(text)
    }

    /// Writes the text, or null for nil.
    package mutating func member(_ name: StaticString, _ text: String?) {
        self.name(name)
        if let text { write(text) } else { writeNull() }
    }

    /// Writes a value that is JSON already.
    package mutating func member(_ name: StaticString, json text: String) {
        self.name(name)
        write(written: Array(text.utf8))
    }

    package mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        write(flag)
    }

    package mutating func member(_ name: StaticString, _ number: some FixedWidthInteger) {
        self.name(name)
        write(number)
    }

    /// Writes the number, or null for nil.
    package mutating func member(_ name: StaticString, _ number: Int64?) {
        self.name(name)
        if let number { write(number) } else { writeNull() }
    }

    package mutating func member(_ name: StaticString, _ texts: [String]) {
        self.name(name)
        beginArray()
        for text in texts { write(text) }
        endArray()
    }
}

extension JSONWriter {
    /// Quotes foreign text for a message.
    ///
    /// It escapes control characters, to protect terminals, and cuts the text after `limit` characters.
    package static func quote(_ text: String, limit: Int) -> String {
        let shown = text.unicodeScalars.prefix(limit)
        var bytes: [UInt8] = []
        append(String(shown), to: &bytes)
        if shown.endIndex < text.unicodeScalars.endIndex {
            bytes.removeLast()
            bytes += "…\"".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { appendEscaped($0, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var plain = 0
        var position = 0
        while position < utf8.count {
            guard let escaped = scalarToEscape(utf8, at: position) else {
                position += 1
                continue
            }
            bytes += UnsafeBufferPointer(rebasing: utf8[plain..<position])
            bytes += escape(escaped.code).utf8
            position += escaped.length
            plain = position
        }
        bytes += UnsafeBufferPointer(rebasing: utf8[plain...])
    }

    /// Returns the character to escape, or nil.
    ///
    /// JSON requires escapes only below U+0020, but a terminal also obeys U+007F to U+009F, and some readers take
    /// U+2028 and U+2029 for line breaks.
    private static func scalarToEscape(
        _ utf8: UnsafeBufferPointer<UInt8>, at position: Int
    ) -> (code: UInt16, length: Int)? {
        switch utf8[position] {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return (UInt16(utf8[position]), 1)
        case 0xC2 where utf8[position + 1] < 0xA0: return (UInt16(utf8[position + 1]), 2)
        case 0xE2 where utf8[position + 1] == 0x80 && utf8[position + 2] & 0xFE == 0xA8:
            return (0x2000 + UInt16(utf8[position + 2] & 0x3F), 3)
        default: return nil
        }
    }

    private static func escape(_ code: UInt16) -> String {
        switch code {
        case 0x22: return "\\\""
        case 0x5C: return "\\\\"
        case 0x08: return "\\b"
        case 0x09: return "\\t"
        case 0x0A: return "\\n"
        case 0x0C: return "\\f"
        case 0x0D: return "\\r"
        default:
            let digits = String(code, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
