/// A step of saving a feed at its beginning.
package enum FeedStep: Hashable, Sendable {
    case deletingOld
    case encoding(images: Int)
    case timestamped(Timestamp)
    case saving
    /// Only the timestamp and the validators are renewed.
    case confirming
}
