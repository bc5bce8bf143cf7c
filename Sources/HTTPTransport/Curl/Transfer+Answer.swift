import CCurl
import FeedCore

/// What is told of an answer: its head, and how it ended.
extension Transfer {
    /// The least a sink is given of a body that isn't complete.
    private static let leastBytesToBegin = 16 << 10

    func last(_ how: HowEnded) -> (Parcel, Ending) {
        switch how {
        case .ended(CURLE_OK) where state.isHeadComplete:
            let parcel = rest()
            return (parcel, Ending(outcome: .success(response), circumstances: circumstances))
        case .ended(let code): return broken(by: reason(for: code))
        case .declined: return (Parcel(), Ending(outcome: .success(response), circumstances: circumstances))
        case .failed(let error): return broken(by: error)
        }
    }

    /// Of an answer other than the wanted ones all is said with its head: it stands, whatever has come of its body.
    private func broken(by error: FeedError) -> (Parcel, Ending) {
        var (parcel, response) = partOfBody(after: error)
        let saysAll = state.isHeadComplete && !Self.statusesOfBodies.contains(easy.status) && !error.isCancellation
        if saysAll || state.isTooLarge {
            if state.handedOver == nil { parcel.head = head }
            response = self.response
        }
        let ending = Ending(
            outcome: .failure(error), circumstances: circumstances, responseIfUnwanted: response)
        return (parcel, ending)
    }

    /// What has come of a body that broke off, so that a retry can ask for the rest: if a sink has been given some of
    /// it, or enough is there to begin with. A place in a compressed body is no place in the decompressed one.
    private func partOfBody(after error: FeedError) -> (Parcel, responseIfUnwanted: HTTPResponse?) {
        guard error.kind == .connectivity, !state.isDeclined, !state.chunk.isEmpty,
            state.received > state.chunk.count || state.chunk.count >= Self.leastBytesToBegin,
            state.headers.codings.coding == nil
        else { return (Parcel(), nil) }
        let parcel = rest()
        return (parcel, response)
    }

    var head: HTTPHead {
        var head = state.headers.head(status: easy.status)
        head.isMultiplexed = easy.isMultiplexed
        if head.status >= 400 { head.retryAfter = easy.retryAfter }
        return head
    }

    private var circumstances: RequestCircumstances {
        var circumstances = RequestCircumstances()
        circumstances.touchedPrivateAddress = state.touchedPrivateAddress
        return circumstances
    }

    private var response: HTTPResponse {
        let head = state.handedOver ?? head
        let isRedirect = (300..<400).contains(head.status)
        var response = HTTPResponse(
            head: head, redirectTarget: isRedirect ? redirectTarget : nil, bodyBytes: state.received)
        response.isFromPrivateAddress = state.isFromPrivateAddress
        response.circumstances = circumstances
        response.askingProxy = askingProxy(head.status).map(ProxyName.shown)
        return response
    }

    /// One that passes on requests, not connections, answers in the place of the server.
    private func askingProxy(_ status: Int) -> String? {
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
