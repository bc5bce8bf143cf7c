import CCurl
import FeedCore

/// Why a transfer has failed, in the domain's words.
extension Transfer {
    func reason(for code: CURLcode) -> FeedError {
        if let reason = state.reason { return reason }
        if let refusal = state.refusal, !state.hasOpened { return refusal }
        switch code {
        case CURLE_OK: return failure(.connectivity, "the connection ended within the headers")
        case CURLE_OUT_OF_MEMORY where state.pause != nil:
            // libcurl holds back what it has decompressed of what it has read, up to 64M.
            return failure(.invalidData, "decompresses to more at once than can be held back")
        case CURLE_OUT_OF_MEMORY where state.lastActivity != nil:
            // That is what it says of its own limit too.
            return failure(.invalidData, "a line of the headers is longer than libcurl takes")
        default:
            return .transfer(code, easy.explanation(of: code), host: host, isConnected: state.lastActivity != nil)
        }
    }

    func failure(_ kind: FeedError.Kind, _ message: String) -> FeedError {
        FeedError(kind, message, host: host).at(.transferring)
    }
}
