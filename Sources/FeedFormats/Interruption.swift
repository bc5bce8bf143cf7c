internal import FeedCore
internal import JSONText

/// Why decoding ends though what was read so far is well-formed.
enum Interruption: Error, Equatable {
    /// Nobody waits for the feed any more.
    case cancelled
    /// The images share so much text.
    case excess
    /// One item has so many images.
    case crowd

    fileprivate var reason: String {
        switch self {
        case .cancelled: "cancelled"
        case .excess: "its images come to far more text than the feed itself"
        case .crowd: "an item with more than \(FeedItem.mostImages) images"
        }
    }

    static func check() throws(Interruption) {
        if Task.isCancelled { throw .cancelled }
    }

    /// The same of a feed from that host.
    func error(host: String?) -> FeedError {
        switch self {
        case .cancelled: .cancelled
        case .excess, .crowd: .invalidData(reason, host: host)
        }
    }
}

extension JSONReader {
    /// The same of the value that begins at `position`.
    func error(_ interruption: Interruption, at position: Int) -> JSONError {
        switch interruption {
        case .cancelled: .cancelled
        case .excess, .crowd: mismatch(interruption.reason, at: position)
        }
    }
}

extension JSONError {
    func error(host: String?) -> FeedError {
        kind == .cancelled ? .cancelled : .invalidData(description, host: host)
    }
}
