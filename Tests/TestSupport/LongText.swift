/// A text that may be longer than a log of tests has use for, as the argument of one.
package struct LongText: CustomStringConvertible, ExpressibleByStringLiteral, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.init(text) }

    package var description: String {
        let most = 80
        return text.utf8.count <= most ? text.debugDescription : "\(text.prefix(most).debugDescription)…"
    }
}
