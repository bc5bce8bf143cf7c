internal import FeedCore
internal import SystemFiles

extension ImageDirectory {
    /// Counts files, not rows: somebody may have deleted some, or a disk lost them.
    nonisolated func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory {
        guard let files = folders.files else {
            return ImageInventory(totals: ImageTotals(count: 0, bytes: 0), perFeed: feeds.map { _ in 0 })
        }
        return try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            var sizes = try index.sizes()
            for (digest, size) in sizes {
                let isThere = try attempt(.failed) { () throws(SystemError) in
                    try ImageFile.isThere(digest, size: size, in: files)
                }
                if !isThere { sizes[digest] = nil }
            }
            var perFeed: [Int] = []
            for feed in feeds {
                var count = 0
                try index.forEachDigest(of: feed) { digest, size in if sizes[digest] == size { count += 1 } }
                perFeed.append(count)
            }
            let totals = ImageTotals(count: sizes.count, bytes: sizes.values.reduce(0, +))
            return ImageInventory(totals: totals, perFeed: perFeed)
        }
    }
}
