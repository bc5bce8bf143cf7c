internal import FeedCore

/// Limits the text that a feed writes once and each of its images holds: ids, titles, the beginnings of URLs. The text may
/// grow with the feed's size and with the number of its images, but not with their product.
struct TextBudget {
    private static let ofEachImage = 1024

    private var left: Int

    init(for document: FeedSource) {
        let size = document.bytes.count
        left = (1 << 20) + max(2 * size, min(8 * size, 64 << 20))
    }

    mutating func addImage() { left += Self.ofEachImage }

    mutating func spend(_ texts: String?...) throws(DecodingFailure) {
        for text in texts { left -= text?.utf8.count ?? 0 }
        guard left >= 0 else { throw .excess }
    }
}
