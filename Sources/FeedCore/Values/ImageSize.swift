/// The width and height with which a browser shows an image, as the file's header gives them.
///
/// An image with an unreadable header or a format that is rare on the web has no size; it is saved and shown
/// nevertheless.
package struct ImageSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    /// Returns nil unless both numbers are possible sizes of an image.
    package init?(_ width: Int?, _ height: Int?) {
        guard let width, let height, Self.possible.contains(width), Self.possible.contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    private static let possible = 1...(1 << 24)

    /// Parses `1920x1080`.
    package init?(_ text: String) {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        self.init(DecimalDigits.number(sides[0]).map { Int($0) }, DecimalDigits.number(sides[1]).map { Int($0) })
    }

    package var text: String { "\(width)x\(height)" }

    /// Returns whether either side is smaller.
    package func isSmaller(than other: ImageSize) -> Bool { width < other.width || height < other.height }

    /// The size after a quarter turn.
    package var turned: ImageSize? { ImageSize(height, width) }
}
