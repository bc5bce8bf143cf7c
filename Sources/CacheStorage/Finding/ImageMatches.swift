internal import FeedCore

/// A feed whose images are searched.
struct SearchedFeed {
    let head: FeedHead
    let circles: VisibleCircles
    /// The row of the feed.
    let id: Int64

    static func all(of query: ImageQuery, in connection: SQLiteConnection) throws(FeedError) -> [SearchedFeed] {
        var feeds: [SearchedFeed] = []
        for head in try SQLiteFeedStore.heads(in: connection) where query.feed == nil || head.url.key == query.feed?.key
        {
            guard let row = try FeedRow.find(head.url, in: connection) else { continue }
            let circles = VisibleCircles(feed: row.id, seesOwnNetwork: row.seesOwnNetwork)
            feeds.append(SearchedFeed(head: head, circles: circles, id: row.id))
        }
        if let feed = query.feed, feeds.isEmpty {
            throw .notFound("\(feed): this feed was never saved; sync it first")
        }
        return feeds
    }
}

/// An image that matches a search, and the data that its feed sees.
struct ImageMatch {
    let position: Int64
    /// The index of the feed.
    let feed: UInt32
    /// Whether the image has further URLs.
    fileprivate let hasAlternatives: Bool
    /// The rank of the circle that the data is from.
    fileprivate var rank: Int8 = -1
    fileprivate(set) var fetchedAt: Int64 = 0
    /// The file of the data; nil if the feed sees no data.
    fileprivate(set) var file: ImageFile.Expected?

    fileprivate init(position: Int64, feed: UInt32, hasAlternatives: Bool) {
        (self.position, self.feed, self.hasAlternatives) = (position, feed, hasAlternatives)
    }
}

/// The matches whose feed sees data.
struct FoundMatches {
    let all: [ImageMatch]
    /// The indices of the matches: those whose data was obtained last come first.
    let order: [UInt32]
}

/// Collects the images that match a search, as numbers, because there may be a million of them.
///
/// The data of the first matches is looked up by URL. If there are many more, one pass over all data is faster: it
/// finds the matches of a URL by the hash of the URL, which is seeded anew in each process.
struct ImageMatches {
    /// The number of matches whose data is looked up by URL.
    private static let mostLookedUp = 10_000

    private let connection: SQLiteConnection
    private let feeds: [SearchedFeed]
    private var all: [ImageMatch] = []
    /// The hashes of the URLs of the matches after the first ones.
    private var hashes: [Int] = []

    init(connection: SQLiteConnection, feeds: [SearchedFeed]) {
        (self.connection, self.feeds) = (connection, feeds)
    }

    /// Adds the matching images of a feed.
    mutating func add(_ index: UInt32, _ words: inout SearchWords) throws(FeedError) {
        let feed = feeds[Int(index)]
        let image = try connection.statement(
            """
            SELECT position, url, alternatives, description, title, location, author, tags, text
            FROM items WHERE feed = ?1 ORDER BY position
            """)
        words.beginFeed(titled: feed.head.title)
        try image.bind(1, feed.id)
        try image.forEachRow { () throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            guard Self.matches(image, &words) else { return }
            var match = ImageMatch(position: image.integer(0), feed: index, hasAlternatives: !image.isNull(2))
            if all.count < Self.mostLookedUp {
                try lookUp(image.text(1) ?? "", image.text(2), of: &match)
            } else {
                hashes.append(Self.hash(image.bytes(1)))
            }
            all.append(match)
        }
    }

    private static func matches(_ image: SQLiteStatement, _ words: inout SearchWords) -> Bool {
        words.beginImage()
        for column: Int32 in [3, 4, 5, 6, 7, 1, 8] {
            if words.isComplete { return true }
            words.look(in: image.bytes(column))
        }
        return words.isComplete
    }

    private static func hash(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(url))
        return hasher.finalize()
    }

    /// Looks up the data of the first of the URLs that has data which the feed may see.
    private func lookUp(_ url: String, _ alternatives: String?, of match: inout ImageMatch) throws(FeedError) {
        let index = ImageIndex(connection: connection)
        let found = try index.find(
            url, AlternativeURLs.split(alternatives ?? ""), in: feeds[Int(match.feed)].circles)
        guard let image = found?.image else { return }
        match.fetchedAt = image.fetchedAt.microseconds
        match.file = ImageFile.Expected(digest: image.digest, size: image.size)
    }

    /// Returns the matches whose data was obtained after a moment.
    ///
    /// Those of one moment are in the order of their feeds.
    mutating func found(after moment: Timestamp?) throws(FeedError) -> FoundMatches {
        if !hashes.isEmpty {
            try passOverData()
            hashes = []
            try lookUpAlternatives()
        }
        let all = self.all
        let after = moment?.microseconds ?? .min
        var order: [UInt32] = []
        for (index, match) in all.enumerated() where match.file != nil && match.fetchedAt > after {
            order.append(UInt32(index))
        }
        order.sort { one, other in
            let (oneMoment, otherMoment) = (all[Int(one)].fetchedAt, all[Int(other)].fetchedAt)
            return oneMoment == otherMoment ? one < other : oneMoment > otherMoment
        }
        return FoundMatches(all: all, order: order)
    }

    /// Reads the rows of all data once, and gives each match that has such a URL the data that its feed sees first.
    private mutating func passOverData() throws(FeedError) {
        let first = all.count - hashes.count
        let table = HashTable(hashes)
        let circles = feeds.map(\.circles)
        let row = try connection.statement("SELECT url, circle, digest, size, fetched_at FROM images")
        try row.forEachRow { () throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            let circle = row.integer(1)
            let rank = Int8(VisibleCircles.rank(circle))
            table.forEachIndex(of: Self.hash(row.bytes(0))) { number in
                let index = first + number
                guard all[index].rank < rank, circles[Int(all[index].feed)].includes(circle),
                    let file = ImageIndex.file(in: row, from: 2)
                else { return }
                all[index].rank = rank
                all[index].fetchedAt = row.integer(4)
                all[index].file = file
            }
        }
    }

    private mutating func lookUpAlternatives() throws(FeedError) {
        let image = try connection.statement(
            "SELECT url, alternatives FROM items WHERE feed = ?1 AND position = ?2")
        for index in all.indices where all[index].file == nil && all[index].hasAlternatives {
            var (url, alternatives) = ("", String?.none)
            try image.bind(1, feeds[Int(all[index].feed)].id)
            try image.bind(2, all[index].position)
            try image.forEachRow { () throws(FeedError) in (url, alternatives) = (image.text(0) ?? "", image.text(1)) }
            var match = all[index]
            try lookUp(url, alternatives, of: &match)
            all[index] = match
        }
    }
}

/// Finds the indices of a hash in a list of hashes.
private struct HashTable {
    private let hashes: [Int]
    /// The index after each index with the same hash, plus one; 0 at the end.
    private var next: [UInt32]
    /// The first index of a hash, plus one; 0 for a free slot.
    private var slots: [UInt32]

    init(_ hashes: [Int]) {
        self.hashes = hashes
        next = Array(repeating: 0, count: hashes.count)
        var size = 1
        while size < 2 * hashes.count { size *= 2 }
        slots = Array(repeating: 0, count: size)
        for index in hashes.indices {
            let slot = slot(of: hashes[index])
            next[index] = slots[slot]
            slots[slot] = UInt32(index) + 1
        }
    }

    func forEachIndex(of hash: Int, _ visit: (Int) -> Void) {
        var entry = slots[slot(of: hash)]
        while entry != 0 {
            visit(Int(entry) - 1)
            entry = next[Int(entry) - 1]
        }
    }

    /// Returns the slot of a hash, or the free slot where it belongs.
    private func slot(of hash: Int) -> Int {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0, hashes[Int(slots[slot]) - 1] != hash { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }
}
