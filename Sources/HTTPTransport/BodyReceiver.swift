import FeedCore

/// Passes the parts of a response to its sink, and decodes a compressed body.
struct BodyReceiver {
    private let call: Call
    private let sink: any BodySink
    private(set) var isWanted = true
    /// The failure that ends the call: that of the sink, or `cancelled`.
    private(set) var failure: FeedError?
    /// The decoder of a compressed body.
    private var decoder: BodyDecoder?

    init(_ call: Call, into sink: any BodySink) {
        self.call = call
        self.sink = sink
    }

    mutating func receive(_ part: ResponsePart) {
        guard failure == nil else { return }
        do throws(FeedError) {
            if let head = part.head { try begin(head, part.coding) }
            guard isWanted, !part.chunk.isEmpty else { return }
            guard let decoder else { return try pass(part.chunk) }
            try decoder.decode(part.chunk) { piece throws(FeedError) in try pass(piece) }
        } catch {
            failure = error
        }
    }

    private mutating func begin(_ head: HTTPHead, _ coding: BodyCodings.Coding?) throws(FeedError) {
        isWanted = try sink.begin(head)
        guard let coding, isWanted else { return }
        decoder = BodyDecoder(coding, limit: call.request.maxBytes, host: call.request.url.hostAndPort)
    }

    /// Passes a piece of the body to the sink, unless the call was cancelled while the sink had an earlier piece.
    private func pass(_ piece: [UInt8]) throws(FeedError) {
        guard !call.isCancelled else { throw .cancelled }
        try sink.receive(piece)
    }

    /// Returns the outcome of the call, after the sink has received the rest of a compressed body.
    func outcome(of ending: TransferEnding) -> Call.Outcome {
        if let failure { return .failure(failure) }
        if !isWanted, let response = ending.responseIfUnwanted { return .success(response) }
        guard let decoder, case .success(var response) = ending.outcome else { return ending.outcome }
        do throws(FeedError) {
            let rest = try decoder.finish()
            if !rest.isEmpty { try pass(rest) }
        } catch {
            return .failure(error)
        }
        response.bodyBytes = decoder.bytes
        return .success(response)
    }
}
