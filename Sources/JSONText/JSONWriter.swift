/// Writes a JSON text piece by piece into a buffer. The owner may empty the buffer at any time, so that a text of any length
/// needs little memory. Members stand in the order in which they are written.
///
/// Within an object, the caller writes a `name` before every value.
package struct JSONWriter {
    /// The text that is written and not yet drained.
    package private(set) var bytes: [UInt8] = []

    /// Whether a value was written last, so that a comma comes before the next one.
    private var isCommaDue = false

    package init() {}

    /// Gives back the text so far and empties the buffer.
    package mutating func drain() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// For names in our own code, which need no escapes.
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

    /// Writes the shortest digits that read back as the same number. JSON has no infinities: these become null.
    package mutating func write(_ number: Double) { writeRaw(number.isFinite ? number.description : "null") }

    package mutating func write(_ flag: Bool) { writeRaw(flag ? "true" : "false") }

    package mutating func writeNull() { writeRaw("null") }

    /// Writes a value that another writer has made.
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

    /// Writes null if there is no text.
    package mutating func member(_ name: StaticString, _ text: String?) {
        self.name(name)
        if let text { write(text) } else { writeNull() }
    }

    package mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        write(flag)
    }

    package mutating func member(_ name: StaticString, _ number: some FixedWidthInteger) {
        self.name(name)
        write(number)
    }
}
