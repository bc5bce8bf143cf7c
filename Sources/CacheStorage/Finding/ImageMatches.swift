internal import FeedCore

/// A feed whose images are searched.
struct SearchedFeed {
    let head: FeedHead
    let row: FeedRow

    static func all(of query: ImageQuery, in connection: SQLiteConnection) throws(FeedError) -> [SearchedFeed] {
        var feeds: [SearchedFeed] = []
        for head in try SQLiteFeedStore.heads(in: connection) where query.feed == nil || head.url.key == query.feed?.key
        {
            guard let row = try FeedRow.find(head.url, in: connection) else { continue }
            feeds.append(SearchedFeed(head: head, row: row))
        }
        if let feed = query.feed, feeds.isEmpty {
            throw .notFound("\(feed): this feed was never saved; sync it first")
        }
        return feeds
    }
}

/// An image that matches a search, and the data that its feed has.
struct ImageMatch {
    let position: Int64
    /// The index of the feed.
    let feed: UInt32
    /// Whether the data has to be looked up, because the image has further URLs or may have data of its own.
    fileprivate let needsLookUp: Bool
    fileprivate(set) var fetchedAt: Int64 = 0
    /// The file of the data; nil if the feed has no data.
    fileprivate(set) var file: ImageFile.Expected?

    fileprivate init(position: Int64, feed: UInt32, needsLookUp: Bool) {
        (self.position, self.feed, self.needsLookUp) = (position, feed, needsLookUp)
    }
}

/// The matches whose feed has data.
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
            SELECT item_id, url, alternatives, last_seen, position, description, title, location, author, tags, text
            FROM items WHERE feed = ?1 ORDER BY position
            """)
        words.beginFeed(titled: feed.head.title)
        try image.bind(1, feed.row.id)
        try image.forEachRow { () throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            guard Self.matches(image, &words) else { return }
            let needsLookUp = !image.isNull(2) || feed.row.hasOwnData
            var match = ImageMatch(position: image.integer(4), feed: index, needsLookUp: needsLookUp)
            if all.count < Self.mostLookedUp {
                try lookUp(in: image, of: &match)
            } else {
                hashes.append(Self.hash(image.bytes(1)))
            }
            all.append(match)
        }
    }

    private static func matches(_ image: SQLiteStatement, _ words: inout SearchWords) -> Bool {
        words.beginImage()
        for column: Int32 in [5, 6, 7, 8, 9, 1, 10] {
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

    /// Looks up the data of the image in the first four columns of a row.
    private func lookUp(in row: SQLiteStatement, of match: inout ImageMatch) throws(FeedError) {
        let index = ImageIndex(connection: connection)
        guard let image = try index.find(in: row, from: 0, of: feeds[Int(match.feed)].row) else { return }
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
            try lookUpOthers()
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

    /// Reads the rows of all data once, and gives each match that has such a URL the data of its feed.
    private mutating func passOverData() throws(FeedError) {
        let first = all.count - hashes.count
        let table = HashTable(hashes)
        let ids = feeds.map(\.row.id)
        let row = try connection.statement("SELECT url, feed, digest, size, fetched_at FROM data")
        try row.forEachRow { () throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            let feed = row.integer(1)
            table.forEachIndex(of: Self.hash(row.bytes(0))) { number in
                let index = first + number
                guard ids[Int(all[index].feed)] == feed, let file = ImageIndex.file(in: row, from: 2) else { return }
                all[index].fetchedAt = row.integer(4)
                all[index].file = file
            }
        }
    }

    private mutating func lookUpOthers() throws(FeedError) {
        let image = try connection.statement(
            "SELECT item_id, url, alternatives, last_seen FROM items WHERE feed = ?1 AND position = ?2")
        for index in all.indices where all[index].needsLookUp {
            let feed = feeds[Int(all[index].feed)].row
            guard all[index].file == nil || feed.hasOwnData else { continue }
            var match = all[index]
            try image.bind(1, feed.id)
            try image.bind(2, match.position)
            try image.forEachRow { () throws(FeedError) in try lookUp(in: image, of: &match) }
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
