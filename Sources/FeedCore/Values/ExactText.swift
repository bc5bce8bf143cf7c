/// A text that is compared by its bytes. `String` treats two spellings of é as equal; a server treats them as
/// different.
package struct ExactText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Compares ASCII texts as texts, which is fast, and other texts by their bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8Span.isKnownASCII && right.text.utf8Span.isKnownASCII
            ? left.text == right.text : left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes. `String` has one hash for all spellings of a text, so that a feed could fill one bucket of a
    /// table.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        text.utf8Span.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
