/// A text for an argument of a test.
///
/// A log of tests shows a short form of it.
package struct LongText: CustomStringConvertible, ExpressibleByStringLiteral, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.init(text) }

    package var description: String {
        let most = 80
        return text.utf8.count <= most ? text.debugDescription : "\(text.prefix(most).debugDescription)…"
    }
}
