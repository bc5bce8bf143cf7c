internal import FeedCore
internal import JSONText

/// The reason why decoding a document stops early.
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

extension JSONReader {
    /// Converts the failure to an error about the value that begins at `position`.
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
