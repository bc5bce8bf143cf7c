import Synchronization

/// Joins the attempts of one request into one body for its sink: after an attempt that broke off, the next attempt
/// requests only the rest, where that is safe.
///
/// A rest is requested after a 200 with a strong entity tag that brought the beginning of a body.
///
/// | response to the request for the rest      | effect                                                 |
/// |-------------------------------------------|--------------------------------------------------------|
/// | 206 with the same tag and length, that    | the body continues, and the sink sees one body         |
/// | begins where the last attempt broke off   |                                                        |
/// | any other 206: without a tag, encoded, or | the body starts over, and every later attempt requests |
/// | with several parts                        | all of it                                              |
/// | 416                                       | the same                                               |
/// | one that will be retried                  | the sink skips it, and the beginning stays             |
/// | any other, such as a 200: the body has    | the sink starts over with this body                    |
/// | changed                                   |                                                        |
///
/// The tag of the 206 is compared, because a server may ignore `If-Range` and send a part of its latest version.
///
/// Dates are ignored as validators, because it is rarely certain that one is strong (RFC 9110, section 8.8.2.2).
final class ResumingSink: BodySink {
    private struct State {
        /// The head of the body that the sink receives.
        var head: HTTPHead?
        var received: Int64 = 0
        /// The length of the whole body, as the first response or a 206 announces it.
        var total: Int64?
        var mayResume = true

        // These concern only the current attempt.
        var rest: RestOfBody?
        var willRetry: @Sendable (HTTPHead) -> Bool = { _ in false }
        var signal = HostConcurrency.Signal.nothing
        var isUnusable = false
    }

    private let sink: any BodySink
    private let request: HTTPRequest
    private let meter: ByteMeter?
    private let state: Mutex<State>

    /// `signal` is the signal of the previous attempt.
    init(
        into sink: any BodySink, of request: HTTPRequest, meter: ByteMeter? = nil,
        signal: HostConcurrency.Signal = .nothing
    ) {
        self.sink = sink
        self.request = request
        self.meter = meter
        state = Mutex(State(signal: signal))
    }

    /// Returns the request of the next attempt.
    ///
    /// `willRetry` decides whether a response to it is retried.
    func nextRequest(willRetry: @escaping @Sendable (HTTPHead) -> Bool) -> HTTPRequest {
        state.withLock { state in
            state.rest = Self.rest(after: state)
            state.willRetry = willRetry
            state.signal = .nothing
            state.isUnusable = false
            // Most requests are for a whole body, which saves the copy.
            guard let rest = state.rest else { return request }
            var next = request
            next.rest = rest
            return next
        }
    }

    private static func rest(after state: State) -> RestOfBody? {
        guard state.mayResume, state.received > 0, let head = state.head, head.status == HTTPStatus.ok,
            !head.isContentEncoded
        else {
            return nil
        }
        return head.strongTag.map { RestOfBody(offset: state.received, validator: $0) }
    }

    /// What the current attempt reveals about its host so far.
    var signal: HostConcurrency.Signal { state.withLock { $0.signal } }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        try state.withLock { state throws(FeedError) in
            state.signal = HTTPStatus.isBusy(head.status) ? .busy : .answered(isMultiplexed: head.isMultiplexed)
            if state.willRetry(head) { return false }
            switch head.status {
            case HTTPStatus.partialContent where state.rest != nil,
                HTTPStatus.rangeNotSatisfiable where state.rest != nil:
                state.isUnusable = try !continues(head, &state)
                state.mayResume = !state.isUnusable
                return state.mayResume
            default:
                state.head = head
                state.received = 0
                state.total = head[.contentLength].flatMap { Int64($0) }
                state.rest = nil
                return try sink.begin(head)
            }
        }
    }

    /// Returns whether this response continues the body that has begun.
    private func continues(_ head: HTTPHead, _ state: inout State) throws(FeedError) -> Bool {
        guard head.status == HTTPStatus.partialContent, let range = head[.contentRange].flatMap(ContentRange.init),
            range.first == state.received, range.total == state.total ?? range.total,
            head.strongTag == state.rest?.validator, !head.isContentEncoded, !head.isMultipart
        else { return false }
        guard range.total <= request.maxBytes else { throw tooLarge }
        state.total = range.total
        return true
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) {
        meter?.add(chunk.count)
        try state.withLock { state throws(FeedError) in
            guard Int64(chunk.count) <= request.maxBytes - state.received else { throw tooLarge }
            state.received += Int64(chunk.count)
            try sink.receive(chunk)
        }
    }

    private var tooLarge: FeedError {
        .larger(than: request.maxBytes, host: request.url.hostAndPort).at(.transferring)
    }

    enum Conclusion: Hashable, Sendable {
        /// The body is complete. The response is that of a single attempt.
        case whole(HTTPResponse)
        /// The response can't be joined to the beginning of the body.
        case unusable
        /// The response ended before the end of the body.
        case incomplete(FeedError)
    }

    /// Returns the result of an attempt that ended without an error.
    func finish(_ response: HTTPResponse) -> Conclusion {
        state.withLock { state in
            if state.isUnusable { return .unusable }
            guard state.rest != nil, response.head.status == HTTPStatus.partialContent,
                let head = state.head, let total = state.total
            else { return .whole(response) }
            guard state.received >= total else {
                let message = "the answer ended after \(state.received) of \(total) bytes"
                return .incomplete(.connectivity(message, host: request.url.hostAndPort).at(.transferring))
            }
            guard state.received == total else {
                state.mayResume = false
                return .unusable
            }
            var whole = response
            whole.head = head
            whole.bodyBytes = total
            return .whole(whole)
        }
    }
}

/// The `Content-Range` header of a 206 (RFC 9110, section 14.4): which bytes of the whole body the response has.
///
/// | header                            | result                                 |
/// |-----------------------------------|----------------------------------------|
/// | `bytes 100-199/200`               | these bytes, both ends included        |
/// | `bytes 100-199/*`                 | nil, because the total is required     |
/// | a range that is reversed, or ends | nil, because it contradicts itself     |
/// | beyond the total                  |                                        |
/// | anything else                     | nil                                    |
struct ContentRange: Hashable, Sendable {
    let first: Int64
    /// The length of the whole body.
    let total: Int64

    init?(_ header: String) {
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = Self.number(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return nil }
        guard first <= last, last < total else { return nil }
        (self.first, self.total) = (first, total)
    }

    /// Parses digits.
    ///
    /// `Int64.init` would accept a sign as well.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}

/// Counts the body bytes of all requests as they arrive.
package final class ByteMeter: Sendable {
    private let count = Atomic<Int64>(0)

    package init() {}

    package var bytes: Int64 { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.wrappingAdd(Int64(bytes), ordering: .relaxed) }
}
