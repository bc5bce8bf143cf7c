/// Lays images out as files with readable names in an output directory.
package protocol TreeWriter: Sendable {
    /// Brings the tree up to date. The next call completes what a failing or killed one began.
    ///
    /// Throws `storage`: `cannotCreate` if the directory can't be used, `locked` if another run still writes there after
    /// the target's `lockWait`.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport
}

package struct TreeOptions: Hashable, Sendable {
    package let template: TreeTemplate
    /// Whether the run only says what it would do.
    package let isDryRun: Bool

    package init(template: TreeTemplate, isDryRun: Bool = false) {
        self.template = template
        self.isDryRun = isDryRun
    }
}

/// What was done to a tree, or would be done.
package struct TreeReport: Hashable, Sendable {
    package let feeds: Int
    /// The number of feedsync's own files in the tree.
    package var files = 0
    /// The paths of files that were made, relative to the tree.
    package var added: [String] = []
    /// The paths of files that were deleted or replaced.
    package var removed: [String] = []
    /// The paths of files that a run made and that somebody has changed since. They are left alone.
    package var changedByOthers: [String] = []
    /// The number of images that the cache does not have.
    package var missing = 0

    package init(feeds: Int) { self.feeds = feeds }
}
