/// Whether something is deleted, or only counted as if these feeds, and what is damaged, were deleted before.
package enum RemovalMode: Hashable, Sendable {
    case forReal
    /// On a full disk, where no row can be deleted before there is room: the files first. Also those that these feeds alone
    /// name, which are to be deleted then. Rows that are left without their files name what nobody asks for.
    case makingRoom(withoutFeeds: [ResourceURL])
    case dryRun(withoutFeeds: [ResourceURL], withoutDamaged: Bool = false)
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
    /// It came in the way of deleting rows: there may be no room for that.
    package let leavesRows: Bool

    package static let nothing = ImageRemoval(images: 0, bytesFreed: 0)

    package static func + (one: Self, other: Self) -> Self {
        ImageRemoval(
            images: one.images + other.images, gone: one.gone + other.gone,
            bytesFreed: one.bytesFreed + other.bytesFreed, failure: other.failure,
            leavesRows: other.leavesRows)
    }

    package init(
        images: Int, gone: Int = 0, bytesFreed: Int64, failure: FeedError? = nil, leavesRows: Bool = false
    ) {
        self.images = images
        self.gone = gone
        self.bytesFreed = bytesFreed
        self.failure = failure
        self.leavesRows = leavesRows
    }
}
