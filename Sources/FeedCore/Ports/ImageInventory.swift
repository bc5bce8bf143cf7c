/// A count of the images whose data is there.
package struct ImageInventory: Hashable, Sendable {
    package let totals: ImageTotals
    /// Of how many of each feed's images, in the order of the feeds.
    package let perFeed: [Int]

    package init(totals: ImageTotals, perFeed: [Int]) {
        self.totals = totals
        self.perFeed = perFeed
    }
}

/// Distinct images and their bytes.
package struct ImageTotals: Hashable, Sendable {
    package let count: Int
    package let bytes: Int64

    package init(count: Int, bytes: Int64) {
        self.count = count
        self.bytes = bytes
    }
}
