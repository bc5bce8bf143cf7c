/// Whether something is deleted, or only counted as if these feeds, and what is damaged, were deleted before.
package enum RemovalMode: Hashable, Sendable {
    case forReal
    case dryRun(withoutFeeds: [ResourceURL], withoutDamaged: Bool = false)

    package var isDryRun: Bool { if case .dryRun = self { true } else { false } }

    /// What these feeds alone name counts as named by none.
    package var feedsLeftOut: [ResourceURL] {
        switch self {
        case .forReal: []
        case .dryRun(let feeds, _): feeds
        }
    }

    package var leavesDamagedOut: Bool { if case .dryRun(_, true) = self { true } else { false } }
}

package struct ImageRemoval: Hashable, Sendable {
    /// Distinct images whose data is gone, or was gone before.
    package let images: Int
    /// Of those, the ones that a feed names and whose data was gone before.
    package let gone: Int
    /// Of files of images and leftovers.
    package let bytesFreed: Int64
    /// What came in the way of deleting further files.
    package let failure: FeedError?

    package static let nothing = ImageRemoval(images: 0, bytesFreed: 0)

    package init(images: Int, gone: Int = 0, bytesFreed: Int64, failure: FeedError? = nil) {
        self.images = images
        self.gone = gone
        self.bytesFreed = bytesFreed
        self.failure = failure
    }
}
