/// Where a body goes. Calls come one after another, though not always from the same thread, and may block.
package protocol BodySink: AnyObject, Sendable {
    /// A body is about to come; what came before, if anything, is void. False: it isn't wanted and is not delivered.
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool
    /// The first chunk holds the whole body, or at least 16 KiB of it.
    func receive(_ chunk: [UInt8]) throws(FeedError)
    /// Runs `sleep`, for which the request waits for its next try, and is not in flight.
    func pausing(_ pause: RequestPause, _ sleep: () async throws -> Void) async throws
}

/// Who rests while a request waits for its next try.
package enum RequestPause: Sendable {
    /// Its host, which asked for that or can't be reached: what else is asked of it doesn't take this one's place.
    case ofHost
    /// The request alone: its host said nothing, perhaps to this one only, which is known when it is asked for another.
    case ofRequest
}

extension BodySink {
    package func pausing(_ pause: RequestPause, _ sleep: () async throws -> Void) async throws { try await sleep() }
}
