/// Why a document is not what its visitor reads.
enum XMLProblem: Error, Equatable {
    /// No visitor knows its root element.
    case root(XMLName)
    case malformed(XMLMalformation)
    case interrupted(Interruption)
}

struct XMLMalformation: Error, Equatable {
    let reason: String
    let line: Int
    let column: Int

    var description: String { "line \(line), column \(column): \(reason)" }
}

extension XMLMalformation {
    init(reason: String, at offset: Int, of bytes: [UInt8]) {
        self.reason = reason
        let before = bytes[..<offset]
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        column = 1 + before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    }
}
