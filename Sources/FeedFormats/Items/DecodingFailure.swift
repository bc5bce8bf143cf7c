internal import FeedCore

/// Why decoding a document ends before its end.
enum DecodingFailure: Error, Equatable {
    /// The task was cancelled.
    case cancelled
    case invalid(String)

    static let excess = DecodingFailure.invalid("its images come to far more text than the feed itself")

    static func tooMany(_ images: Int) -> DecodingFailure { .invalid(FeedSizeLimit.tooMany(images)) }

    static func malformed(_ reason: String, line: Int, column: Int) -> DecodingFailure {
        .invalid("line \(line), column \(column): \(reason)")
    }

    static func check() throws(DecodingFailure) {
        if Task.isCancelled { throw .cancelled }
    }

    func error(host: String?) -> FeedError {
        switch self {
        case .cancelled: .cancelled
        case .invalid(let reason): .invalidData(reason, host: host)
        }
    }
}
