internal import FeedCore

/// The distribution of items over pages in their order: 200 items to a page, or fewer if the page would be too heavy.
///
/// It holds only numbers, because the items of all pages together could fill the memory.
struct PageLayout {
    private static let maxItems = 200
    /// The maximum size of the items on a page.
    ///
    /// It keeps the first view light, whatever the feed contains.
    private static let maxSize = 120_000

    /// The index of the first item of each page.
    private(set) var starts = [0]
    let count: Int
    /// Identifies the items and their distribution.
    ///
    /// A page that is open in a browser continues only with images of the same edition.
    let edition: String

    /// Lays out the items.
    ///
    /// `item` returns the size of an item on its page, and the bytes that identify it.
    init(_ count: Int, _ item: (Int) -> (size: Int, identity: [UInt8])) throws(FeedError) {
        self.count = count
        var hash = FNV1a()
        var size = 0
        for index in 0..<count {
            if index % Self.maxItems == 0, Task.isCancelled { throw .cancelled }
            let item = item(index)
            if let start = starts.last, index > start, index - start == Self.maxItems || size + item.size > Self.maxSize
            {
                starts.append(index)
                size = 0
                hash.add([0])
            }
            size += item.size
            hash.add(item.identity)
        }
        edition = String(hash.value, radix: 36)
    }

    var pages: Int { starts.count }

    /// Returns the indices of the items on a page, counted from 1.
    func items(onPage page: Int) -> Range<Int> {
        starts[page - 1]..<(page < starts.count ? starts[page] : count)
    }
}
