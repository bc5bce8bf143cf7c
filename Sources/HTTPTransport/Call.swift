import FeedCore
import Synchronization

/// One request, which the caller's task, the transfer thread and the delivery workers share.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, FeedError>

    /// The value that resumes the caller's task.
    enum Delivery {
        /// The whole response. The caller itself passes it to the sink.
        case whole(ResponsePart, TransferEnding)
        case done(Outcome)
    }

    let request: HTTPRequest
    /// The proxy for the request; nil for a direct connection.
    let proxy: ProxyChoice.Proxy?
    /// The idle timeout of this request; nil for the run's timeout.
    let idleTimeout: IdleTimeout?
    private let sink: any BodySink
    private let cancellation = Atomic(false)
    /// The suspended caller.
    ///
    /// An unchecked continuation is cheaper; it is removed before it is resumed, and therefore resumed exactly once.
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

    /// Resumes the caller.
    ///
    /// Only the first call of this method counts.
    func complete(_ delivery: sending Delivery) { caller.withLock { $0.take() }?.resume(returning: delivery) }

    /// Returns the outcome, in the caller's task.
    func outcome(of delivery: Delivery) -> Outcome {
        switch delivery {
        case .done(let outcome): return outcome
        case .whole(let part, let ending):
            var sinkState = SinkState()
            deliver(part, &sinkState)
            return outcome(of: ending, after: sinkState)
        }
    }

    /// Resumes the caller without the transfer thread, which may be stuck inside libcurl.
    ///
    /// If a worker is calling the sink, the worker resumes the caller afterwards.
    func cancel() {
        cancellation.store(true, ordering: .releasing)
        if !pending.withLock({ $0.isServed }) { complete(.done(.failure(.cancelled))) }
    }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }
}

/// The delivery of a response to its sink.
extension Call {
    struct SinkState {
        var isWanted = true
        var failure: FeedError?
        /// The decoder of a compressed body.
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

    /// Returns the outcome of the call, after the sink has received the rest of a compressed body.
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
    /// The circumstances of the request, which an error of the sink carries, too.
    let circumstances: RequestCircumstances
    /// The response that replaces the outcome if the sink declines the body, which may then be too large.
    var responseIfUnwanted: HTTPResponse?
}

/// The parts of a call that wait for a worker, and the state of its sink.
struct PendingParts {
    struct Item {
        var part: ResponsePart
        /// The end of the transfer, beside the last part.
        let ending: TransferEnding?
    }

    private var items: [Item] = []
    private var isScheduled = false
    /// Whether a worker has taken items and may be calling the sink.
    private(set) var isServed = false
    private var sinkState = Call.SinkState()

    /// Adds an item, and returns whether the call must be queued: a queued call already has a worker.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isScheduled = true }
        return !isScheduled
    }

    mutating func take() -> (items: [Item], sinkState: Call.SinkState) {
        defer { items = [] }
        isServed = true
        return (items, sinkState)
    }

    /// Stores the state of the sink, and returns whether the worker is done with the call: more parts may have arrived
    /// meanwhile.
    mutating func leave(_ sinkState: Call.SinkState) -> Bool {
        self.sinkState = sinkState
        isServed = false
        isScheduled = !items.isEmpty
        return !isScheduled
    }
}
