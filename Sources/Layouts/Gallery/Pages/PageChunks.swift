internal import FeedCore

/// Deals items out to pages, in their order: two hundred to each, but fewer where the page would weigh too much.
struct PageChunks {
    struct Chunk {
        /// The number of the first item, counted from 0.
        let first: Int
        private(set) var html: [UInt8] = []
        /// Where each item ends in it.
        private var ends: [Int] = []

        init(first: Int) { self.first = first }

        var count: Int { ends.count }

        mutating func add(_ item: [UInt8]) {
            html += item
            ends.append(html.count)
        }

        /// By the numbers of all items.
        func html(of places: Range<Int>) -> [UInt8] {
            let start = places.lowerBound == first ? 0 : ends[places.lowerBound - first - 1]
            return Array(html[start..<ends[places.upperBound - first - 1]])
        }
    }

    private static let most = 200
    /// A page and what is loaded with it before its images.
    private static let heaviestPage = 99_000
    private static let roomForFrame = 2500

    /// At least one, with nothing in it if there are no items.
    private(set) var all = [Chunk(first: 0)]

    init(_ items: some Sequence<[UInt8]>, beside assets: Assets) {
        let limit = Self.heaviestPage - Self.roomForFrame - assets.all.map(\.bytes.count).reduce(0, +)
        for item in items {
            let last = all[all.count - 1]
            if last.count == Self.most || (last.count > 0 && last.html.count + item.count > limit) {
                all.append(Chunk(first: last.first + last.count))
            }
            all[all.count - 1].add(item)
        }
    }

    /// The pages that these make, under a name.
    func files(_ name: String, _ page: @escaping (Chunk, PageLinks) -> HTMLWriter) -> some Sequence<SiteFile> {
        all.indices.lazy.map { index in
            let links = PageLinks(name: name, page: index + 1, pages: all.count)
            return SiteFile(name: links.file, bytes: page(all[index], links).bytes)
        }
    }
}

/// Where a page stands among those of its kind, counted from 1.
struct PageLinks {
    let name: String
    let page: Int
    let pages: Int

    var file: String { Address.file(name, page: page) }
    var previous: String? { page > 1 ? Address.file(name, page: page - 1) : nil }
    var next: String? { page < pages ? Address.file(name, page: page + 1) : nil }
}
