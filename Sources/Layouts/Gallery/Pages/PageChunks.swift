internal import FeedCore

/// Distributes the HTML of items over pages in their order: 200 items to a page, or fewer if the page would be too
/// heavy.
struct PageChunks {
    /// The items of one page.
    struct Chunk {
        /// The index of the first item among the items of all pages.
        let first: Int
        private(set) var html: [UInt8] = []
        /// The offset in `html` at which each item ends.
        private var ends: [Int] = []

        init(first: Int) { self.first = first }

        var count: Int { ends.count }

        mutating func add(_ item: [UInt8]) {
            html += item
            ends.append(html.count)
        }

        /// Returns the HTML of some items, given by their indices among the items of all pages.
        func html(of items: Range<Int>) -> ArraySlice<UInt8> {
            let start = items.lowerBound == first ? 0 : ends[items.lowerBound - first - 1]
            return html[start..<ends[items.upperBound - first - 1]]
        }
    }

    private static let maxItems = 200
    /// The maximum size of a page together with the style sheet, the script and the icon.
    private static let maxPageSize = 99_000
    /// The part of that size which is reserved for the HTML around the items.
    private static let frameSize = 2500

    /// The chunks. An empty list of items makes one empty chunk.
    private(set) var all = [Chunk(first: 0)]

    init(_ items: some Sequence<[UInt8]>, beside assets: Assets) {
        let limit = Self.maxPageSize - Self.frameSize - assets.all.map(\.bytes.count).reduce(0, +)
        var (first, count, size) = (0, 0, 0)
        for item in items {
            if count == Self.maxItems || (count > 0 && size + item.count > limit) {
                first += count
                (count, size) = (0, 0)
                all.append(Chunk(first: first))
            }
            all[all.count - 1].add(item)
            count += 1
            size += item.count
        }
    }

    /// Returns one page for each chunk. `page` makes the HTML of a page from its chunk.
    func files(_ name: String, _ page: @escaping (Chunk, PageLinks) -> HTMLWriter) -> some Sequence<SiteFile> {
        all.indices.lazy.map { index in
            let links = PageLinks(name: name, page: index + 1, pages: all.count)
            return SiteFile(name: links.file, bytes: page(all[index], links).bytes)
        }
    }
}
