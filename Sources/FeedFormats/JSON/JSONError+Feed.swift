internal import FeedCore
internal import JSONText

extension JSONReader {
    /// The interruption as an error about the value that begins at `position`.
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
