// Errors, with the line, the column and the path of their place.

extension JSONReader {
    /// The value that begins at `position`, or its member, is not what it should be.
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
