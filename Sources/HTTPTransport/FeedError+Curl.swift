import CCurl
import FeedCore

extension FeedError {
    /// What a code of libcurl's means in the domain's words.
    static func transfer(_ code: CURLcode, _ explanation: String, host: String?) -> FeedError {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_FILESIZE_EXCEEDED:
            .invalidData(explanation, host: host)
        default:
            .connectivity(explanation, host: host)
        }
    }

    static func larger(than limit: Int64, host: String?) -> FeedError {
        .invalidData("larger than \(ByteCount.text(limit))", host: host)
    }
}

enum ByteCount {
    /// Exact, in the largest power of 1024 that it is a multiple of: it's meant to be recognised as the option's value.
    static func text(_ bytes: Int64) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] as [(String, Int64)] {
            let size: Int64 = 1 << shift
            if bytes >= size, bytes % size == 0 { return "\(bytes / size)\(unit)" }
        }
        return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }
}

extension Duration {
    var inWords: String {
        let milliseconds = wholeMilliseconds
        guard milliseconds % 1000 == 0 else { return "\(milliseconds) ms" }
        return milliseconds == 1000 ? "1 second" : "\(milliseconds / 1000) seconds"
    }

    /// Rounded up, so that a wait of this many is never too short.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
