/// Why a JSON text could not be read, and where. Quoted text from the input is escaped and shortened.
package struct JSONError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The text is not JSON.
        case malformed
        /// It is JSON, but a value is not what its reader asks for.
        case mismatch
        /// Nothing is wrong with the text: the reader was told to stop.
        case cancelled
    }

    package let kind: Kind
    /// Counted from 1; a column is a character, whatever its width or bytes.
    package let line: Int
    package let column: Int
    /// The path of the value, such as `items[3].image`; empty for the whole text.
    package let path: String
    package let reason: String

    package static let cancelled = JSONError(kind: .cancelled, line: 1, column: 1, path: "", reason: "cancelled")
}

extension JSONError: CustomStringConvertible {
    /// People find broken syntax by its line, and a wrong value by its path.
    package var description: String {
        switch kind {
        case .malformed: "line \(line), column \(column): \(reason)" + (path.isEmpty ? "" : " (in \(path))")
        case .mismatch, .cancelled: path.isEmpty ? reason : "\(path): \(reason)"
        }
    }
}
