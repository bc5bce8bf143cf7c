internal import FeedCore

/// The pages of a gallery and the files beside them.
///
/// The files are made in groups whenever they are needed, because all of them together could fill the memory.
struct GalleryPages {
    private let feeds: [ShownFeed]
    private let frame: PageFrame

    init(_ feeds: [ShownFeed], key: String) {
        self.feeds = feeds
        var ratios: Set<Int> = [Proportions.missing.ratio, Proportions.unknown.ratio]
        for tile in feeds.lazy.flatMap(\.tiles) {
            if let placed = tile.placed { ratios.insert(placed.proportions.ratio) }
        }
        frame = PageFrame(assets: Assets(ratios: ratios), key: key, hasIndex: feeds.count > 1)
    }

    var key: String { frame.key }

    /// The groups of files: the files of each feed, and last the index, the newest images and the files beside the
    /// pages.
    var groups: Range<Int> { 0..<feeds.count + 1 }

    func forEach(
        in group: Int, _ visit: (SiteFile) throws(FeedError) -> Void
    ) throws(FeedError) {
        func visitAll(_ files: some Sequence<SiteFile>) throws(FeedError) {
            for file in files {
                if Task.isCancelled { throw .cancelled }
                try visit(file)
            }
        }
        if group < feeds.count {
            try visitAll(feeds[group].pages(frame: frame).files)
            let own = SubscriptionNames(feeds[group].pageName)
            return try visitAll(try Subscription(feeds: [feeds[group]], names: own).files)
        }
        try visitAll(frame.assets.all)
        try visitAll(try Subscription(feeds: feeds, names: .all).files)
        if feeds.count == 1 {
            // The first page of the only feed has two names.
            let first = feeds[0].pages(frame: frame).page(1)
            return try visitAll([SiteFile(name: PageNames.index, bytes: first.bytes)])
        }
        try visitAll(try IndexPages(feeds: feeds.sorted { $0.newest > $1.newest }, frame: frame).files())
        if !feeds.isEmpty { try visitAll(try feeds.newestPages(frame: frame).files) }
    }
}

/// A secret by which the pages of one gallery recognise each other when a browser opens them from disk.
enum GalleryKey {
    private static let length = 32
    private static let mark = "data-key="

    static func make() -> String {
        let digits = "0123456789abcdef".map(\.self)
        return String((0..<length).map { _ in digits[Int.random(in: 0..<16)] })
    }

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Returns the key of a page that begins with these bytes; nil if it has no valid key.
    static func find(in page: [UInt8]) -> String? {
        guard let found = page.firstRange(of: mark.utf8) else { return nil }
        let key = String(decoding: page[found.upperBound...].prefix(length), as: UTF8.self)
        return isValid(key) ? key : nil
    }
}
