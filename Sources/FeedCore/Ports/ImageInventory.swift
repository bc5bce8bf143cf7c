/// A count of the images whose data is there.
package struct ImageInventory: Hashable, Sendable {
    package let totals: ImageTotals
    /// In the order of the feeds.
    package let perFeed: [OfFeed]

    package struct OfFeed: Hashable, Sendable {
        /// How many of the feed's images are there.
        package var cached = 0
        /// Distinct ones that are not, and whose last answer tends to stay.
        package var failed = 0
        /// Until when all of these are left alone.
        package var leftAloneUntil: Timestamp?

        package init(cached: Int = 0) { self.cached = cached }

        /// Counts one more that failed.
        package mutating func add(failedAt: Timestamp, count: Int) {
            failed += 1
            let until = failedAt + PermanentFailures.pause(afterFailures: count)
            leftAloneUntil = min(leftAloneUntil ?? until, until)
        }
    }

    package init(totals: ImageTotals, perFeed: [OfFeed]) {
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
