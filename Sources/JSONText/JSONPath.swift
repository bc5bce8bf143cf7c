/// The way from the top of a text down to one of its values. It reads the text again up to the value, so that a text
/// without errors pays nothing for paths. The text before the value must be well-formed.
struct JSONPath {
    private enum Step {
        case element(Int)
        /// The place of the name as it is written; nil before the name is read.
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

    /// The name without its escapes, or as it is written if these are broken.
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
