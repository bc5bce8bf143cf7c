/// Brackets, commas, colons and what is between them.
extension JSONReader {
    /// The next byte. At the end it is 0, which no rule accepts.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// A script that joins files leaves one mark for each of them.
    static func hasByteOrderMark(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    static func lengthOfByteOrderMark(_ bytes: [UInt8]) -> Int { hasByteOrderMark(bytes[...]) ? 3 : 0 }

    func require(_ kind: Kind, _ reason: String) throws(JSONError) {
        guard try peek() == kind else { throw mismatch(reason, at: position) }
    }

    mutating func enter() throws(JSONError) {
        guard depth < maxDepth else { throw malformed("nested more than \(maxDepth) deep") }
        depth += 1
        position += 1
        isFirst = true
        skipWhitespace()
    }

    /// Steps over the comma before the next member or element, or over the closing bracket.
    mutating func goOn(until bracket: UInt8, _ bracketName: String) throws(JSONError) -> Bool {
        skipWhitespace()
        if next == bracket {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard next == UInt8(ascii: ",") else { throw expected("',' or \(bracketName)") }
        position += 1
        skipWhitespace()
        return true
    }

    /// Steps to the first quote of the next member's name. At the end it leaves the object and gives back false.
    mutating func goToName() throws(JSONError) -> Bool {
        guard try goOn(until: UInt8(ascii: "}"), "'}'") else { return false }
        guard next == UInt8(ascii: "\"") else { throw expected("a member's name in quotes") }
        return true
    }

    mutating func skipName() throws(JSONError) -> Bool {
        guard try goToName() else { return false }
        try skipString()
        try skipColon()
        return true
    }

    mutating func skipColon() throws(JSONError) {
        skipWhitespace()
        guard next == UInt8(ascii: ":") else { throw expected("':'") }
        position += 1
        skipWhitespace()
    }

    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The text at the position, for a message.
    var foundHere: String {
        guard position < bytes.count else { return "the end of the text" }
        let byte = bytes[position]
        guard byte > 0x20, byte < 0x7F else {
            let digits = String(byte, radix: 16, uppercase: true)
            return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
        }
        return "'\(Character(Unicode.Scalar(byte)))'"
    }
}
