/// Why the last attempt to load a feed failed.
package struct FeedTrouble: Hashable, Sendable {
    package let kind: FeedError.Kind
    /// The message of the error, whose passwords are removed.
    package let message: String
    package let at: Timestamp

    package init(kind: FeedError.Kind, message: String, at: Timestamp) {
        self.kind = kind
        self.message = message
        self.at = at
    }

    /// Makes the trouble of an error. The result is nil if the error concerns neither the feed nor its server: a fault
    /// of the cache, or a wait without a request.
    init?(_ error: FeedError, at moment: Timestamp) {
        guard error.kind == .connectivity || error.kind == .invalidData, !error.isWait || error.needsName else {
            return nil
        }
        self.init(kind: error.kind, message: error.message.withoutPasswords, at: moment)
    }
}
