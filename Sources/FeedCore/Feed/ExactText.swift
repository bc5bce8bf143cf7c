/// A text that is compared by its bytes. To `String`, an é is an é however it is written; to a server it isn't.
package struct ExactText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Equal texts can differ in their bytes, unless they are ASCII, as most are; those are compared at once.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8Span.isKnownASCII && right.text.utf8Span.isKnownASCII
            ? left.text == right.text : left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// A feed can name any number of texts that are equal and differ in their bytes. The hash of a text would be one
    /// for all of them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        text.utf8Span.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
