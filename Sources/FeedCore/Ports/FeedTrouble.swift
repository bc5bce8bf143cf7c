/// Why a feed could not be had the last time that it was asked for.
package struct FeedTrouble: Hashable, Sendable {
    package let kind: FeedError.Kind
    /// Without passwords.
    package let message: String
    package let at: Timestamp

    package init(kind: FeedError.Kind, message: String, at: Timestamp) {
        self.kind = kind
        self.message = message
        self.at = at
    }

    /// Nil for what says nothing of the feed or its server: a fault of the cache, or that nobody was asked.
    init?(_ error: FeedError, at moment: Timestamp) {
        guard error.kind == .connectivity || error.kind == .invalidData, !error.isWait || error.needsName else {
            return nil
        }
        self.init(kind: error.kind, message: error.message.withoutPasswords, at: moment)
    }
}
