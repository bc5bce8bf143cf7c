import CCurl
import FeedCore

/// Why a transfer has failed, in the domain's words.
extension Transfer {
    func reason(for code: CURLcode) -> FeedError {
        if let reason = state.reason { return reason }
        if let refusal = state.refusal, !state.hasOpened { return refusal }
        if !state.arrivals.hasMark, let error = failureBeforeSending(code) { return error }
        if context.hasCutFlood {
            let error = FeedError.connectivity("the server sends HTTP/2 frames without content", host: host)
            return error.at(hasHeard ? .transferring : .waiting)
        }
        switch code {
        case CURLE_OK: return failure(.connectivity, "the connection ended within the headers")
        case CURLE_OUT_OF_MEMORY where state.arrivals.hasMark:
            // That is what it says of its own limit too.
            return failure(.invalidData, "a line of the headers is longer than libcurl takes")
        default:
            return .transfer(code, easy.explanation(of: code), host: host, isConnected: state.arrivals.hasMark)
        }
    }

    /// What keeps a request from being sent at all: mostly from being sent the next time, too.
    private func failureBeforeSending(_ code: CURLcode) -> FeedError? {
        if let proxy = easy.proxy {
            if let text = easy.complaintAboutProxy {
                return .unusable(proxy, text, variable: call?.proxy?.variable, host: host)
            }
            if easy.proxyStatus >= 300 { return .refusal(by: proxy, with: easy.proxyStatus, host: host) }
        }
        // Of the files that it reads, libcurl says so of this one alone.
        guard code == CURLE_READ_ERROR, easy.usesNetrc else { return nil }
        let message = "\(easy.netrcFile) can't be read: \(easy.explanation(of: code))"
        return FeedError(.notFound, message, host: host).at(.trusting)
    }

    func failure(_ kind: FeedError.Kind, _ message: String) -> FeedError {
        FeedError(kind, message, host: host).at(.transferring)
    }
}
