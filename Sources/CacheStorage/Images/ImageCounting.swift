internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageDirectory {
    /// Counts files, not rows: somebody may have deleted some, or a disk lost them; and one that another has replaced takes
    /// its room until it is deleted. One that isn't as long as it should be is no image.
    nonisolated func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory {
        try await database.read { connection throws(FeedError) in
            var sizes: [Digest: Int64] = [:]
            if let files = directories.files {
                sizes = try attempt(.failed) { () throws(SystemError) in try Self.sizes(of: files) }
            }
            let index = ImageIndex(connection: connection)
            let memory = FailureMemory(connection: connection)
            let hasFailures = try !memory.isEmpty()
            for (digest, size) in try index.sizes() where sizes[digest] != size { sizes[digest] = nil }
            var perFeed: [ImageInventory.OfFeed] = []
            for feed in feeds {
                let circles = try VisibleCircles(Viewer(feed), in: connection)
                var images = ImageInventory.OfFeed()
                var failed: Set<String> = []
                try index.forEachImage(of: feed, in: circles) { url, stored throws(FeedError) in
                    if let stored, sizes[stored.digest] == stored.size {
                        images.cached += 1
                    } else if hasFailures, let url = ResourceURL(stored: url),
                        let failure = try memory.find(url, in: circles, onlyOwn: false),
                        failed.insert(url.text).inserted
                    {
                        images.add(failedAt: failure.failedAt, count: failure.count)
                    }
                }
                perFeed.append(images)
            }
            let totals = ImageTotals(count: sizes.count, bytes: sizes.values.reduce(0, +))
            return ImageInventory(totals: totals, perFeed: perFeed)
        }
    }

    /// The sizes of the files that have names of images.
    private static func sizes(of files: Descriptor) throws(SystemError) -> [Digest: Int64] {
        var sizes: [Digest: Int64] = [:]
        try files.forEachName { name throws(SystemError) in
            guard let digest = Digest(hex: String(cString: name)) else { return }
            do throws(SystemError) {
                if let status = try files.status(of: name), status.isFile { sizes[digest] = Int64(status.st_size) }
            } catch {
                // One that can't be looked at is as good as none.
                guard error.concernsOneFile(in: files) else { throw error }
            }
        }
        return sizes
    }
}
