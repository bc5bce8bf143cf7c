/// A permanent failure of an image URL.
package struct ImageFailure: Hashable, Sendable {
    package let url: ResourceURL
    package let error: FeedError
    package let failedAt: Timestamp
    package let recipients: [Recipient]

    package init(url: ResourceURL, error: FeedError, failedAt: Timestamp, recipients: [Recipient]) {
        self.url = url
        self.error = error
        self.failedAt = failedAt
        self.recipients = recipients
    }
}

package struct RememberedFailure: Hashable, Sendable {
    package let error: FeedError
    package let failedAt: Timestamp
    /// How many there were in a row.
    package let count: Int

    package init(error: FeedError, failedAt: Timestamp, count: Int) {
        self.error = error
        self.failedAt = failedAt
        self.count = count
    }
}
