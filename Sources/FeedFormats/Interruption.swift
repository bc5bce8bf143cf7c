internal import FeedCore
internal import JSONText

/// Why decoding ends though what was read so far is well-formed.
enum Interruption: Error, Equatable {
    /// Nobody waits for the feed any more.
    case cancelled
    case excess

    static let reasonOfExcess = "its images come to far more text than the feed itself"

    static func check() throws(Interruption) {
        if Task.isCancelled { throw .cancelled }
    }

    /// The same of a feed from that host.
    func error(host: String?) -> FeedError {
        switch self {
        case .cancelled: .cancelled
        case .excess: .invalidData(Self.reasonOfExcess, host: host)
        }
    }
}

extension JSONReader {
    /// The same of the value that begins at `position`.
    func error(_ interruption: Interruption, at position: Int) -> JSONError {
        switch interruption {
        case .cancelled: .cancelled
        case .excess: mismatch(Interruption.reasonOfExcess, at: position)
        }
    }
}

extension JSONError {
    func error(host: String?) -> FeedError {
        kind == .cancelled ? .cancelled : .invalidData(description, host: host)
    }
}
