/// Reads objects with known members.
///
/// Each known member may occur once; all others are skipped.
package enum JSONObject {
    /// The longest name of a member, and the longest text that is compared with an expected one, in bytes.
    private static let longestName = 16_384

    package static func read(
        _ reader: inout JSONReader, _ names: [StaticString],
        _ visit: (String, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var seen: UInt64 = 0
        try reader.enterObject()
        while let name = try reader.nextMember(longest: longestName) {
            guard let number = Self.index(of: name, in: names) else {
                try reader.skipValue()
                continue
            }
            // Programs differ in which of two values they use.
            guard seen & 1 << UInt64(number) == 0 else { throw reader.mismatch("given twice", at: reader.position) }
            seen |= 1 << UInt64(number)
            try visit(name, &reader)
        }
    }

    /// Returns the index of the name.
    ///
    /// It compares without copies, because texts have many names.
    private static func index(of name: String, in names: [StaticString]) -> Int? {
        let bytes = name.utf8Span.span
        for (index, other) in names.enumerated() where other.utf8CodeUnitCount == bytes.count {
            var length = 0
            while length < bytes.count, bytes[length] == other.utf8Start[length] { length += 1 }
            if length == bytes.count { return index }
        }
        return nil
    }

    package static func require<Value>(
        _ value: Value?, _ member: String, of object: Int, _ reader: borrowing JSONReader
    ) throws(JSONError) -> Value {
        guard let value else { throw reader.mismatch("missing", at: object, member: member) }
        return value
    }

    /// Reads a string of at most `longest` bytes; nil for null and for an empty string.
    package static func readOptionalString(
        _ reader: inout JSONReader, longest: Int = .max
    ) throws(JSONError) -> String? {
        guard try reader.peek() == .null else {
            let text = try reader.readString(longest: longest)
            return text.isEmpty ? nil : text
        }
        try reader.readNull()
        return nil
    }

    /// Throws unless the next string is the expected one.
    package static func expect(_ expected: String, _ reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        let found = try reader.readString(longest: longestName)
        guard found == expected else {
            let shown = JSONWriter.quote(found, limit: 80)
            throw reader.mismatch("expected \(JSONWriter.quote(expected, limit: 80)), found \(shown)", at: start)
        }
    }

    package static func expect(_ expected: Int, _ reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        let found = try reader.readInt()
        guard found == expected else { throw reader.mismatch("expected \(expected), found \(found)", at: start) }
    }
}
