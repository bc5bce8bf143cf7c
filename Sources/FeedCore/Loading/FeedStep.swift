/// A step of saving a feed, as it begins.
package enum FeedStep: Hashable, Sendable {
    case deletingOld
    case encoding(images: Int)
    case timestamped(Timestamp)
    case saving
    /// Nothing but the timestamp and the validators is renewed.
    case confirming
}
