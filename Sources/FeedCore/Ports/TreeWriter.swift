/// Lays pictures out as files in a folder, beside what people have there.
package protocol TreeWriter: Sendable {
    /// Brings the folder to what it should be. What fails in the middle is gone on with by the next call.
    ///
    /// Throws `storage`: `cannotCreate` where there is no place for it, `locked` where another run is still at it after as
    /// long a wait as is wanted.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: TreePlace
    ) async throws(FeedError) -> TreeReport
}

/// Where a tree goes, and how.
package struct TreePlace: Hashable, Sendable {
    package let path: String
    /// The path of the cache, in which nothing else may lie.
    package let cache: String
    package let template: TreeTemplate
    package let lockWait: Duration
    /// Says what would be done, and does nothing.
    package let isDryRun: Bool

    package init(
        path: String, cache: String, template: TreeTemplate, lockWait: Duration = .zero, isDryRun: Bool = false
    ) {
        self.path = path
        self.cache = cache
        self.template = template
        self.lockWait = lockWait
        self.isDryRun = isDryRun
    }
}

/// What was done, or would be.
package struct TreeReport: Hashable, Sendable {
    package let feeds: Int
    /// How many there are now.
    package var files = 0
    /// Relative to the folder.
    package var added: [String] = []
    package var removed: [String] = []
    /// Files that a run made, and that somebody has changed since: they are left alone.
    package var changedByOthers: [String] = []
    /// Pictures that the cache doesn't have.
    package var missing = 0

    package init(feeds: Int) { self.feeds = feeds }
}
