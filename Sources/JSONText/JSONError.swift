/// The reason why a JSON text could not be read, and where. Text that it quotes from the input is escaped and
/// shortened.
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
