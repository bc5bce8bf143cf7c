import Synchronization

/// Stands between the tries of one request and its sink, and makes one body of them: after a try that broke off, the
/// next asks for the rest alone where that is safe.
///
/// What is there is a part of a body that a 200 with a strong entity tag began, and the next try asks for the rest.
///
/// | answer to that                             | what follows                                          |
/// |--------------------------------------------|-------------------------------------------------------|
/// | 206 of the same tag and length, that goes  | the same body goes on, and the sink sees no seam      |
/// | on where the last broke off                |                                                       |
/// | any other 206, also one without a tag, in  | start over, and never ask for a rest again            |
/// | an encoding, or of several parts           |                                                       |
/// | 416                                        | the same                                              |
/// | one that will be tried again               | the sink doesn't see it, and what is there stays      |
/// | any other, as a 200: the body has changed  | the sink begins anew with it                          |
///
/// The tag in the 206 counts, as a server may know nothing of `If-Range` and send a part of whatever there is now.
///
/// A date as a validator is left alone: whether it is a strong one (RFC 9110, section 8.8.2.2) is too seldom certain.
final class ResumingSink: BodySink {
    private struct State {
        /// Of the body that is on its way to the sink.
        var head: HTTPHead?
        var received: Int64 = 0
        /// Of the whole, as the first answer says or one to a request for the rest.
        var total: Int64?
        var mayResume = true

        // Of the present try alone.
        var rest: RestOfBody?
        var isTriedAgain: @Sendable (HTTPHead) -> Bool = { _ in false }
        var news = HostConcurrency.News.nothing
        var isUnusable = false
    }

    private let sink: any BodySink
    private let request: HTTPRequest
    private let meter: ByteMeter?
    private let state: Mutex<State>

    /// `news` is what the try before this told.
    init(
        into sink: any BodySink, of request: HTTPRequest, meter: ByteMeter? = nil, news: HostConcurrency.News = .nothing
    ) {
        self.sink = sink
        self.request = request
        self.meter = meter
        state = Mutex(State(news: news))
    }

    /// The request of the next try. `isTriedAgain` says of its answer whether that is not the last.
    func nextRequest(isTriedAgain: @escaping @Sendable (HTTPHead) -> Bool) -> HTTPRequest {
        state.withLock { state in
            state.rest = Self.rest(after: state)
            state.isTriedAgain = isTriedAgain
            state.news = .nothing
            state.isUnusable = false
            // Most have none, and are had without a copy.
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

    /// What this try tells of its host so far.
    var news: HostConcurrency.News { state.withLock { $0.news } }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        try state.withLock { state throws(FeedError) in
            state.news = HTTPStatus.isBusy(head.status) ? .busy : .answered(isMultiplexed: head.isMultiplexed)
            if state.isTriedAgain(head) { return false }
            switch head.status {
            case HTTPStatus.partialContent where state.rest != nil,
                HTTPStatus.rangeNotSatisfiable where state.rest != nil:
                state.isUnusable = try !goesOn(head, &state)
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

    private func goesOn(_ head: HTTPHead, _ state: inout State) throws(FeedError) -> Bool {
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
        /// With the answer to the request as if there had been one try.
        case whole(HTTPResponse)
        /// What came can't be joined to what is there.
        case unusable
        /// The rest was itself a part only.
        case incomplete(FeedError)
    }

    /// What a try comes to that ended without an error.
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
