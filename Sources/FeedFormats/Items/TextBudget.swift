internal import FeedCore

/// Limits the text that a feed writes once and each of its images holds: ids, titles, the beginnings of URLs. No real
/// feed comes to sixteen megabytes. Beyond them, the text may grow with the feed's size, but not with its square.
struct TextBudget {
    private var left: Int

    init(for document: FeedSource) { left = (16 << 20) + 8 * document.bytes.count }

    mutating func spend(_ texts: String?...) throws(DecodingFailure) {
        for text in texts { left -= text?.utf8.count ?? 0 }
        guard left >= 0 else { throw .excess }
    }
}
