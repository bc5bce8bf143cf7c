internal import FeedCore

/// What is written once in a feed and had by each of its images: ids, titles, the beginnings of URLs. Sixteen megabytes
/// are more than any true feed comes to by that; from there on a feed may grow with its size, and not with its square.
struct TextBudget {
    private var left: Int

    init(for document: FeedSource) { left = (16 << 20) + 8 * document.bytes.count }

    mutating func spend(_ texts: String?...) throws(Interruption) {
        for text in texts { left -= text?.utf8.count ?? 0 }
        guard left >= 0 else { throw .excess }
    }
}
