/// The longest texts of a feed, in bytes of UTF-8, that are kept and that an archive may contain.
package enum LongestText {
    /// The limit of a text that each image of an item has, or that is shown in one line.
    ///
    /// Alternative texts have some paragraphs; a longer text is a misplaced article.
    package static let words = 8192
    /// The limit of an id, which is a URL or an invention.
    package static let id = 4096
    /// The limit of a text in the Essential format, which keeps texts whole.
    package static let essential = 12 << 20
}

extension String {
    /// Returns at most this many bytes.
    ///
    /// The cut is between two characters, and an ellipsis replaces the rest.
    package func shortened(to longest: Int) -> String {
        utf8.count <= longest ? self : beginning(longest) + "…"
    }

    /// The same with a hash of the whole text in place of the rest.
    ///
    /// Different texts stay different, and the result is the same on every machine and in every run.
    package func shortenedDistinctly(to longest: Int) -> String {
        utf8.count <= longest ? self : "\(beginning(longest - 16))…\(String(utf8.fnv1a, radix: 16))"
    }

    private func beginning(_ length: Int) -> Substring {
        // Goes back to the beginning of a scalar. The last character may lose its combining marks.
        let cut = self[..<utf8.index(startIndex, offsetBy: length - "…".utf8.count)]
        let whole = cut.dropLast()
        return whole.isEmpty ? cut : whole
    }
}

extension Sequence<UInt8> {
    /// A hash of the bytes that is the same on every machine and in every run.
    ///
    /// It is used where equal hashes of different bytes do harm only to the author of the bytes.
    package var fnv1a: UInt64 { reduce(FNV1a.start, FNV1a.step) }
}

/// The same hash for bytes that come in parts.
package struct FNV1a: Sendable {
    fileprivate static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    package private(set) var value = start

    package init() {}

    package mutating func add(_ bytes: [UInt8]) {
        var value = value
        bytes.withUnsafeBufferPointer { for byte in $0 { value = Self.step(value, byte) } }
        self.value = value
    }

    fileprivate static func step(_ value: UInt64, _ byte: UInt8) -> UInt64 { (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

/// A text that is compared by its bytes.
///
/// `String` treats two spellings of é as equal; a server treats them as different.
package struct ExactText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Compares ASCII texts as texts, which is fast, and other texts by their bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8Span.isKnownASCII && right.text.utf8Span.isKnownASCII
            ? left.text == right.text : left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    ///
    /// `String` has one hash for all spellings of a text, so that a feed could fill one bucket of a table.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        text.utf8Span.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
