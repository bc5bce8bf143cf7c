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

/// The path from the top of a text to one of its values. Only an error computes it, by scanning the text again up to
/// the value. The text before the value must be well-formed.
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
