import CCurl
import FeedCore

extension FeedError {
    /// What a code of libcurl's means in the domain's words.
    static func transfer(_ code: CURLcode, _ explanation: String, host: String?, isConnected: Bool) -> FeedError {
        kind(code, explanation, host: host).at(.reached(with: code, isConnected: isConnected))
    }

    private static func kind(_ code: CURLcode, _ explanation: String, host: String?) -> FeedError {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_BAD_CONTENT_ENCODING:
            .invalidData(explanation, host: host)
        // Our own file: a fresh copy of the feed is not to hide it.
        case CURLE_SSL_CACERT_BADFILE:
            FeedError(.notFound, explanation, host: host)
        // CURLE_TOO_LARGE, which older headers don't have: too many headers.
        case CURLcode(rawValue: 100):
            .invalidData(explanation, host: host)
        // Also what libcurl says of an answer that isn't HTTP, which is the server's fault, and may pass.
        case CURLE_UNSUPPORTED_PROTOCOL where host == nil:
            .invalidData(explanation)
        default:
            .connectivity(explanation, host: host)
        }
    }
}

extension FeedError.Stage {
    /// A code that can mean several stages, such as a timeout, is told apart by whether there was a connection to send
    /// the request on.
    static func reached(with code: CURLcode, isConnected: Bool) -> FeedError.Stage {
        switch code {
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            .trusting
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PROXY:
            .connecting
        default: isConnected ? .transferring : .connecting
        }
    }
}

extension Duration {
    /// Rounded up, and never 0, which libcurl takes for its own default.
    var timeoutMilliseconds: Int {
        let (seconds, attoseconds) = components
        let milliseconds = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return max(Int(milliseconds), 1)
    }

    var inWords: String {
        let milliseconds = timeoutMilliseconds
        guard milliseconds % 1000 == 0 else { return "\(milliseconds) ms" }
        return milliseconds == 1000 ? "1 second" : "\(milliseconds / 1000) seconds"
    }
}
