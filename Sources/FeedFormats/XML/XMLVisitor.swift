/// What becomes of an element that has begun.
enum XMLInterest {
    /// Its children are visited, and `end` is called after them.
    case children
    /// All text in it, that of its children included, is handed to `receive`.
    case text
    /// As `text`; elements in it are handed over too, written as HTML.
    case markup
    case nothing
}

/// Is told of a document's elements in their order.
protocol XMLVisitor: AnyObject {
    func begin(_ element: XMLElement) throws(XMLProblem) -> XMLInterest
    /// Of the element whose children were visited last.
    func end() throws(XMLProblem)
    func receive(_ text: String, of name: XMLName) throws(XMLProblem)
    /// Of what is left out though it makes nothing else wrong.
    func note(_ note: String)
}

/// Why a document is not what its visitor reads.
enum XMLProblem: Error, Equatable {
    /// Its first element is none that is known.
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
