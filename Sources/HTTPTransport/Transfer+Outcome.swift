import CCurl
import FeedCore

/// The head of a response and the outcome of its transfer.
extension Transfer {
    /// The least bytes of an incomplete body that a sink receives.
    private static let leastBytesToBegin = 16 << 10

    func finalPart(_ how: EndReason) -> (ResponsePart, TransferEnding) {
        switch how {
        case .ended(CURLE_OK) where state.isHeadComplete:
            let part = takePart()
            return (part, TransferEnding(outcome: .success(response)))
        case .ended(let code): return failed(with: reason(for: code))
        case .declined:
            return (ResponsePart(), TransferEnding(outcome: .success(response)))
        case .failed(let error): return failed(with: error)
        }
    }

    /// Returns the end of a failed transfer.
    ///
    /// A response with an unwanted status is complete with its head, even if its body failed.
    private func failed(with error: FeedError) -> (ResponsePart, TransferEnding) {
        var (part, response) = partOfBody(after: error)
        let isComplete = state.isHeadComplete && !Self.statusesWithBody.contains(easy.status) && !error.isCancellation
        if isComplete || state.isTooLarge {
            if state.deliveredHead == nil { part.head = head }
            response = self.response
        }
        return (part, TransferEnding(outcome: .failure(error), responseIfUnwanted: response))
    }

    /// Returns the received part of a body that broke off, so that a retry can ask for the rest: if the sink already
    /// has a part, or this one is large enough.
    ///
    /// For a compressed body the offsets would differ, so that the part is dropped.
    private func partOfBody(after error: FeedError) -> (ResponsePart, responseIfUnwanted: HTTPResponse?) {
        guard error.kind == .connectivity, !state.isDeclined, !state.chunk.isEmpty,
            state.received > state.chunk.count || state.chunk.count >= Self.leastBytesToBegin,
            state.headers.codings.coding == nil
        else { return (ResponsePart(), nil) }
        let part = takePart()
        return (part, response)
    }

    var head: HTTPHead {
        var head = state.headers.head(status: easy.status)
        head.isMultiplexed = easy.isMultiplexed
        if head.status >= 400 { head.retryAfter = easy.retryAfter }
        return head
    }

    private var response: HTTPResponse {
        let head = state.deliveredHead ?? head
        let isRedirect = (300..<400).contains(head.status)
        var response = HTTPResponse(
            head: head, redirectTarget: isRedirect ? redirectTarget : nil, bodyBytes: state.received)
        response.isFromPrivateAddress = state.isFromPrivateAddress
        response.isFromSpecialAddress = state.isFromSpecialAddress
        response.askingProxy = proxyDemandingCredentials(head.status).map(ProxyName.withoutCredentials)
        return response
    }

    /// Returns the proxy that demands authentication, or nil.
    ///
    /// For http: URLs, a proxy responds in place of the server.
    private func proxyDemandingCredentials(_ status: Int) -> String? {
        guard status == 407, call?.request.url.scheme == .http, let proxy = easy.proxy,
            !proxy.lowercased().hasPrefix("socks")
        else { return nil }
        return proxy
    }

    private var redirectTarget: String? {
        guard let location = state.headers.location, !location.isEmpty, let call else { return nil }
        return EasyHandle.resolve(location, against: call.request.url.text) ?? location
    }
}

/// The error of a failed transfer, in the domain's terms.
extension Transfer {
    func reason(for code: CURLcode) -> FeedError {
        if let reason = state.reason { return reason }
        if let refusal = state.refusal, !state.hasOpenedSocket { return refusal }
        if !state.stallDetector.hasMark, let error = failureBeforeSending(code) { return error }
        if context.hasCutFlood {
            let error = FeedError.connectivity("the server sends HTTP/2 frames without content", host: host)
            return error.at(hasReceivedHeader ? .transferring : .waiting)
        }
        switch code {
        case CURLE_OK: return failure(.connectivity, "the connection ended within the headers")
        case CURLE_OUT_OF_MEMORY where state.stallDetector.hasMark:
            // libcurl reports its own limit with this code, too.
            return failure(.invalidData, "a line of the headers is longer than libcurl takes")
        default:
            return .transfer(code, easy.explanation(of: code), host: host, isConnected: state.stallDetector.hasMark)
        }
    }

    /// Returns the error that kept the request from being sent, or nil.
    ///
    /// Most such errors would recur.
    private func failureBeforeSending(_ code: CURLcode) -> FeedError? {
        if let proxy = easy.proxy {
            if let text = easy.proxyErrorMessage {
                return .unusable(proxy, text, variable: call?.proxy?.variable, host: host)
            }
            if easy.proxyStatus >= 300 { return .refusal(by: proxy, with: easy.proxyStatus, host: host) }
        }
        // libcurl reports a read error only for this file.
        guard code == CURLE_READ_ERROR, easy.usesNetrc else { return nil }
        let message = "\(easy.netrcFile) can't be read: \(easy.explanation(of: code))"
        return FeedError(.notFound, message, host: host).at(.trusting)
    }

    func failure(_ kind: FeedError.Kind, _ message: String) -> FeedError {
        FeedError(kind, message, host: host).at(.transferring)
    }
}
