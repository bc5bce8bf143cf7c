import Testing

/// A text that may be longer than a log of tests has use for, as the argument of one.
package struct LongText: CustomTestStringConvertible, ExpressibleByStringLiteral, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.init(text) }

    package var testDescription: String {
        let most = 80
        return text.utf8.count <= most ? text.debugDescription : "\(text.prefix(most).debugDescription)…"
    }
}
