/// What a visitor wants of an element that has begun.
enum XMLInterest {
    /// The visitor is told of the children, and `end` is called after them.
    case children
    /// All text in the element and in its children is handed to `receive`.
    case text
    /// As `text`, with the elements in it written as HTML.
    case markup
    case nothing
}

/// Is told of a document's elements in their order.
protocol XMLVisitor: AnyObject {
    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest
    /// The element ends whose children were visited last.
    func end() throws(DecodingFailure)
    func receive(_ text: String, of name: XMLName) throws(DecodingFailure)
    /// Something is left out or mended, and nothing else is wrong for it.
    func note(_ note: String)
}
