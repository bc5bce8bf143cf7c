internal import FeedCore

/// Why decoding ends though what was read so far is well-formed.
enum Interruption: Error, Equatable {
    /// The task was cancelled.
    case cancelled
    /// The images would hold far more text than the feed.
    case excess
    /// One item has too many images.
    case crowd

    var reason: String {
        switch self {
        case .cancelled: "cancelled"
        case .excess: "its images come to far more text than the feed itself"
        case .crowd: "an item with more than \(FeedItem.mostImages) images"
        }
    }

    static func check() throws(Interruption) {
        if Task.isCancelled { throw .cancelled }
    }

    func error(host: String?) -> FeedError {
        switch self {
        case .cancelled: .cancelled
        case .excess, .crowd: .invalidData(reason, host: host)
        }
    }
}
