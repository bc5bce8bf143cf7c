/// Why a JSON text could not be read, and where. Text from the input is escaped and shortened wherever it is quoted.
package struct JSONError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The text is no JSON.
        case malformed
        /// It is JSON, but a value is not what its reader asks for.
        case mismatch
        /// Nothing is wrong with it: its reader was told to stop.
        case cancelled
    }

    package let kind: Kind
    /// Counted from 1; a column is a character, whatever its width or bytes.
    package let line: Int
    package let column: Int
    /// The value it concerns, as `items[3].image`; empty for the whole text.
    package let path: String
    package let reason: String

    package static let cancelled = JSONError(kind: .cancelled, line: 1, column: 1, path: "", reason: "cancelled")
}

extension JSONError: CustomStringConvertible {
    /// A person finds broken syntax by its line, and a wrong value by its path.
    package var description: String {
        switch kind {
        case .malformed: "line \(line), column \(column): \(reason)" + (path.isEmpty ? "" : " (in \(path))")
        case .mismatch, .cancelled: path.isEmpty ? reason : "\(path): \(reason)"
        }
    }
}

extension JSONError {
    init(_ kind: Kind, _ reason: String, at offset: Int, of bytes: [UInt8], member: String? = nil) {
        self.kind = kind
        self.reason = reason
        var line = 1
        var column = 1
        for byte in bytes[..<offset].dropFirst(JSONReader.lengthOfByteOrderMark(bytes)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        (self.line, self.column) = (line, column)
        var path = JSONPath(to: offset, in: bytes)
        if let member { path.append(name: member) }
        self.path = path.text
    }
}
