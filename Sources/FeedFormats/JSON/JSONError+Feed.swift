internal import FeedCore
internal import JSONText

extension JSONReader {
    /// The failure as an error about the value that begins at `position`.
    func error(_ failure: DecodingFailure, at position: Int) -> JSONError {
        switch failure {
        case .cancelled: .cancelled
        case .invalid(let reason): mismatch(reason, at: position)
        }
    }
}

extension JSONError {
    func error(host: String?) -> FeedError {
        kind == .cancelled ? .cancelled : .invalidData(description, host: host)
    }
}
