import CCurl
import FeedCore

/// One transfer under way, on the transfer thread; used again for the next when it has ended.
///
/// Bytes are gathered into a chunk, which goes to the workers when it is full. A body that is complete before goes to its
/// caller, with one hand-over.
final class Transfer {
    enum CallbackResult { case taken, pause, end }

    enum EndReason {
        /// By libcurl, with its reason.
        case ended(CURLcode)
        /// With a body that nobody wants the rest of.
        case declined
        case failed(FeedError)
    }

    enum Pause: Equatable {
        /// Until the workers have taken some of what waits for them.
        case forRoom
        /// Until the rate allows more; those who have waited longer have the lower turn.
        case forRate(turn: Int)
    }

    /// With these, it's the body that is of interest.
    static let statusesOfBodies = [200, 206]
    /// The last one is for a request on an HTTP/2 connection that the server is closing.
    private static let codesOfLostConnections = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2]

    let easy: EasyHandle
    let context: TransferContext
    private(set) var call: Call?
    /// The transfer thread alone looks at it, and no access within another: what libcurl calls back changes it in passing.
    @exclusivity(unchecked) var state = State()

    /// What is told of one call and forgotten with the next.
    struct State {
        /// Why it was ended from this side: libcurl then only knows that a callback failed.
        var reason: FeedError?
        var isRetry = false
        var isTooLarge = false
        var pause: Pause?
        var isDeclined = false
        /// Until when a body may come that is of no interest; nil while it may be of some.
        var drainDeadline: Instant?
        /// Why the last address was refused, and whether another wasn't: a name may have several.
        var refusal: FeedError?
        var hasOpenedSocket = false
        var isFromPrivateAddress = false
        /// The request went to an address that is not public, or by a proxy to a URL that names one.
        var touchedPrivateAddress = false
        var stallDetector = StallDetector()
        var headerBytes = 0
        /// To libcurl, a connection that ends within the headers is a body that is empty.
        var isHeadComplete = false
        var headers = ResponseHeaders()
        var received: Int64 = 0
        var chunk: [UInt8] = []
        var deliveredHead: HTTPHead?
    }

    init(settings: NetworkSettings, context: TransferContext) throws(FeedError) {
        easy = try EasyHandle(settings)
        self.context = context
        try connectCallbacks()
    }

    /// The state is as it is before anything has come.
    func start(_ call: Call) throws(FeedError) {
        self.call = call
        if let proxy = call.proxy {
            try check(proxy, for: call.request)
            try checkLiteral(of: call.request)
        }
        try easy.prepare(for: call.request, through: call.proxy)
        try easy.connectAnew(call.request.connectsAnew)
        try easy.giveUpConnection(false)
    }

    /// One whose user name or password libcurl can't decode it would pass by without a word.
    private func check(_ proxy: ProxyChoice.Proxy, for request: HTTPRequest) throws(FeedError) {
        guard PercentEncoding.hidesControlCharacter(proxy.text) else { return }
        throw .unusable(
            proxy.text, "a control character is in it", variable: proxy.variable, host: request.url.hostAndPort)
    }

    /// What address a proxy connects to can be known where the URL itself names one.
    private func checkLiteral(of request: HTTPRequest) throws(FeedError) {
        if let refusal = AddressCheck.refusal(ofNameIn: request.url) {
            guard request.addresses != .publicOnly else { throw refusal }
            state.touchedPrivateAddress = true
        }
        guard let address = request.url.host.flatMap(NetworkAddress.init(literal:)) else { return }
        state.isFromPrivateAddress = address.isOfOwnNetwork
        if !address.addressClass.isPublic { state.touchedPrivateAddress = true }
        guard request.addresses == .publicOnly else { return }
        if let refusal = AddressCheck.refusal(of: address, at: request.url) { throw refusal }
    }

    /// Whether it may have been the first to find its connection closed or reset, and is to have one of its own. libcurl
    /// sees to that by itself, but gives up at the sixth such connection, counted over all requests of a handle.
    func shouldRetryOnNewConnection(after code: CURLcode) -> Bool {
        !state.isRetry && Self.codesOfLostConnections.contains(code) && !hasReceivedHeader
            && (easy.hasReusedConnection || easy.hasGivenUpReusing)
    }

    /// Starts the transfer a second time, on a new connection. There is no third time: a server that refuses each request
    /// could otherwise keep it going for ever.
    func restart() throws(FeedError) {
        guard let call, !call.isCancelled else { throw .cancelled }
        state = State()
        try start(call)
        try easy.connectAnew(true)
        state.isRetry = true
    }

    /// Hands over what is left, and with it how the transfer ended. Gives back the call that it was for.
    func finish(_ how: EndReason) -> Call? {
        guard let call else { return nil }
        // To decode a few bytes may take long: not for the caller, whom others may be waiting for.
        let isWhole = state.deliveredHead == nil && state.headers.codings.coding == nil
        let (part, ending) = finalPart(how)
        self.call = nil
        state = State()
        if isWhole {
            call.complete(.whole(part, ending))
        } else {
            context.deliveries.add(part, ending, to: call)
        }
        return call
    }

    var pause: Pause? { state.pause }

    /// When too little has come for too long; nil while that can't be: before there is a connection, and while it's this
    /// side that doesn't read.
    func deadline(_ timeout: IdleTimeout) -> Instant? { state.stallDetector.deadline(timeout) }

    /// Whether nothing at all has come in that time.
    var isSilent: Bool { state.stallDetector.isSilent }

    /// Whether anything of an answer has come.
    var hasReceivedHeader: Bool { state.headerBytes > 0 }

    /// Nil for that of the run.
    var idleTimeout: IdleTimeout? { call?.idleTimeout }

    /// As errors name it.
    var host: String? { call?.request.url.hostAndPort }

    /// Takes the data that libcurl kept back, and says what came of that.
    func resume() -> CURLcode {
        state.pause = nil
        state.stallDetector.resume(at: context.now)
        return easy.resume()
    }
}

/// What the transfers of one loop share.
final class TransferContext {
    let deliveries: DeliveryQueue
    let floodGuard: FloodGuard
    /// `floodGuard` has cut a connection during libcurl's last call.
    var hasCutFlood = false
    var addresses = AddressCache()
    /// Set by a transfer that has paused itself for want of room.
    var hasPaused = false
    /// Transfers that have paused themselves for the rate, ever: the next one's turn.
    private var turns = 0
    /// Whether some of them still wait.
    var hasThrottled = false
    private var budget: TokenBucket?
    /// Before this, no body that is of no interest has come for too long; nil where there are none.
    private(set) var nextDrainDeadline: Instant?
    /// As of the loop's last turn, on the clock that libcurl's own timers use.
    private(set) var now = Instant.read()

    init(deliveries: DeliveryQueue, rateLimit: Int64?, floodGuard: FloodGuard) {
        budget = rateLimit.map(TokenBucket.init(rate:))
        self.deliveries = deliveries
        self.floodGuard = floodGuard
    }

    func watchDrainDeadline(_ end: Instant) { nextDrainDeadline = min(nextDrainDeadline ?? end, end) }

    /// Whether it has come. From then on the next is awaited.
    func hasReachedDrainDeadline() -> Bool {
        guard let end = nextDrainDeadline, end <= now else { return false }
        nextDrainDeadline = nil
        return true
    }

    func tick() {
        now = Instant.read()
        budget?.refill(at: now.nanoseconds)
    }

    var limitsRate: Bool { budget != nil }

    /// For bytes of a body that have come. A number if they are too early: the turn to wait for.
    func spend(_ bytes: Int) -> Int? {
        guard budget != nil else { return nil }
        guard mayReceive else {
            hasThrottled = true
            turns += 1
            return turns
        }
        budget?.take(bytes)
        return nil
    }

    var mayReceive: Bool { budget?.hasTokens ?? true }

    /// When throttled transfers can go on; nil if there are none.
    var nextTurn: Instant? { hasThrottled ? budget.map { now + $0.nanosecondsToWait } : nil }

    /// Rounded up: woken a moment early, a timer would find nothing to do.
    func milliseconds(until instant: Instant) -> Int64 {
        let nanoseconds = instant.nanoseconds - now.nanoseconds
        return nanoseconds <= 0 ? 0 : (nanoseconds + 999_999) / 1_000_000
    }
}
