import FeedCore
import Synchronization

/// One request, as the threads pass it among them: the caller who waits, the transfer thread, and the workers.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, FeedError>

    /// What the caller waits for.
    enum Delivery {
        /// The sink has been given nothing yet: the caller does that.
        case whole(ResponsePart, TransferEnding)
        case done(Outcome)
    }

    let request: HTTPRequest
    /// The proxy that the request goes through; nil for none.
    let proxy: ProxyChoice.Proxy?
    /// Nil for that of the run.
    let idleTimeout: IdleTimeout?
    private let sink: any BodySink
    private let cancellation = Atomic(false)
    /// Unchecked, which costs less: it is taken out of here to be resumed, and so is once.
    private let caller = Mutex<UnsafeContinuation<Delivery, Never>?>(nil)
    let pending = Mutex(PendingParts())

    init(_ request: HTTPRequest, through proxy: ProxyChoice.Proxy?, into sink: any BodySink) {
        self.request = request
        self.proxy = proxy
        idleTimeout = request.manner.map { IdleTimeout($0.network.idleTimeout) }
        self.sink = sink
    }

    /// Stores the caller, and starts the call unless it was cancelled before.
    func wait(_ caller: UnsafeContinuation<Delivery, Never>, _ start: (Call) -> Void) {
        self.caller.withLock { $0 = caller }
        if isCancelled { complete(.done(.failure(.cancelled))) } else { start(self) }
    }

    /// Ends the caller's wait; of several, the first counts.
    func complete(_ delivery: sending Delivery) { caller.withLock { $0.take() }?.resume(returning: delivery) }

    /// For the caller, when its wait has ended.
    func outcome(of delivery: Delivery) -> Outcome {
        switch delivery {
        case .done(let outcome): return outcome
        case .whole(let part, let ending):
            var sinkState = SinkState()
            deliver(part, &sinkState)
            return outcome(of: ending, after: sinkState)
        }
    }

    /// Ends the caller's wait without the transfer thread, which may be stuck inside libcurl. Only a sink that a worker is
    /// calling is waited for; the worker ends the wait then.
    func cancel() {
        cancellation.store(true, ordering: .releasing)
        if !pending.withLock({ $0.isServed }) { complete(.done(.failure(.cancelled))) }
    }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }
}

/// How the sink takes what it is given.
extension Call {
    struct SinkState {
        var isWanted = true
        var failure: FeedError?
        /// Of a body that is encoded.
        var decoder: BodyDecoder?
    }

    func deliver(_ part: ResponsePart, _ sinkState: inout SinkState) {
        if isCancelled || sinkState.failure != nil { return }
        do throws(FeedError) {
            if let head = part.head {
                sinkState.isWanted = try sink.begin(head)
                if let coding = part.coding, sinkState.isWanted {
                    sinkState.decoder = BodyDecoder(coding, limit: request.maxBytes, host: request.url.hostAndPort)
                }
            }
            guard sinkState.isWanted, !part.chunk.isEmpty else { return }
            guard let decoder = sinkState.decoder else { return try sink.receive(part.chunk) }
            try decoder.decode(part.chunk) { piece throws(FeedError) in try sink.receive(piece) }
        } catch {
            sinkState.failure = error
        }
    }

    /// How all has ended; the sink is given what is left of a body that was decoded.
    func outcome(of ending: TransferEnding, after sinkState: SinkState) -> Outcome {
        if isCancelled { return .failure(.cancelled) }
        return conclusion(of: ending, after: sinkState).mapError { $0.touching(ending.circumstances) }
    }

    private func conclusion(of ending: TransferEnding, after sinkState: SinkState) -> Outcome {
        if let failure = sinkState.failure { return .failure(failure) }
        if !sinkState.isWanted, let response = ending.responseIfUnwanted { return .success(response) }
        guard let decoder = sinkState.decoder, case .success(var response) = ending.outcome else {
            return ending.outcome
        }
        do throws(FeedError) {
            let rest = try decoder.finish()
            if !rest.isEmpty { try sink.receive(rest) }
        } catch {
            return .failure(error)
        }
        response.bodyBytes = decoder.bytes
        return .success(response)
    }
}

/// What the transfer thread hands over at once of an answer: of a small body, all there is.
struct ResponsePart {
    /// With the first part of an answer.
    var head: HTTPHead?
    /// With the head: what the body is to be decoded as.
    var coding: BodyCodings.Coding?
    var chunk: [UInt8] = []
}

/// How a transfer has ended.
struct TransferEnding {
    let outcome: Call.Outcome
    /// What the request touched; the sink's own failure has to tell it too.
    let circumstances: RequestCircumstances
    /// Stands in for the outcome when the sink doesn't want the body: that it is too large is then nobody's concern.
    var responseIfUnwanted: HTTPResponse?
}
