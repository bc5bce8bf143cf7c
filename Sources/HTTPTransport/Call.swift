import FeedCore
import Synchronization

/// One request: the transfer thread adds the parts of the response, and the caller's task takes them.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, FeedError>

    /// What the caller receives at once.
    struct Delivery {
        var parts: [ResponsePart] = []
        /// The end of the transfer, with the last part.
        var ending: TransferEnding?
    }

    /// A waiting caller, and what it receives.
    private struct Handover {
        /// An unchecked continuation is cheaper; it is removed before it is resumed, and therefore resumed exactly
        /// once.
        let caller: UnsafeContinuation<Delivery, Never>
        let delivery: Delivery

        func perform() { caller.resume(returning: delivery) }
    }

    private struct State {
        var delivery = Delivery()
        var caller: UnsafeContinuation<Delivery, Never>?
        var isCancelled = false

        /// Takes the caller and what it receives, if it waits and something has arrived.
        mutating func takeHandover() -> Handover? {
            guard let caller, !delivery.parts.isEmpty || delivery.ending != nil else { return nil }
            defer { (self.caller, delivery) = (nil, Delivery()) }
            return Handover(caller: caller, delivery: delivery)
        }
    }

    let request: HTTPRequest
    /// The proxy for the request; nil for a direct connection.
    let proxy: ProxyChoice.Proxy?
    /// The idle timeout of this request; nil for the run's timeout.
    let idleTimeout: IdleTimeout?
    private let state = Mutex(State())

    init(_ request: HTTPRequest, through proxy: ProxyChoice.Proxy?) {
        self.request = request
        self.proxy = proxy
        idleTimeout = request.manner.map { IdleTimeout($0.network.idleTimeout) }
    }

    /// Adds a part, with the end of the transfer if it is the last one, and returns whether the caller will take it.
    func add(_ part: ResponsePart, _ ending: TransferEnding? = nil) -> Bool {
        let (isTaken, handover) = state.withLock { state -> (Bool, Handover?) in
            guard !state.isCancelled else { return (false, nil) }
            state.delivery.parts.append(part)
            state.delivery.ending = ending
            return (true, state.takeHandover())
        }
        handover?.perform()
        return isTaken
    }

    /// Ends a call that was never transferred.
    func fail(_ error: FeedError) { _ = add(ResponsePart(), TransferEnding(outcome: .failure(error))) }

    /// Waits for parts, and takes all that have arrived.
    func next() async -> Delivery {
        await withUnsafeContinuation { caller in
            let handover = state.withLock { state in
                state.caller = caller
                return state.takeHandover()
            }
            handover?.perform()
        }
    }

    /// Ends the call for its caller without the transfer thread, which may be stuck inside libcurl.
    ///
    /// Returns the number of bytes that the caller has not taken.
    func cancel() -> Int {
        let (leftBytes, handover) = state.withLock { state in
            let leftBytes = state.delivery.parts.reduce(0) { $0 + $1.chunk.count }
            state.isCancelled = true
            state.delivery = Delivery(ending: TransferEnding(outcome: .failure(.cancelled)))
            return (leftBytes, state.takeHandover())
        }
        handover?.perform()
        return leftBytes
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
}

/// A part of a response that the transfer thread hands over at once.
///
/// For a small body it is the whole response.
struct ResponsePart {
    /// The head, in the first part of a response.
    var head: HTTPHead?
    /// The coding of the body, beside the head.
    var coding: BodyCodings.Coding?
    var chunk: [UInt8] = []
}

/// The end of a transfer.
struct TransferEnding {
    let outcome: Call.Outcome
    /// The response that replaces the outcome if the sink declines the body, which may then be too large.
    var responseIfUnwanted: HTTPResponse?
}
