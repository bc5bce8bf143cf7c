import CCurl
import FeedCore

/// A transfer on the transfer thread, which serves one call after another.
///
/// It gathers bytes into a chunk, and hands each full chunk and the last one to the call.
final class Transfer {
    enum CallbackResult { case taken, pause, end }

    enum EndReason {
        /// libcurl has ended the transfer, with this code.
        case ended(CURLcode)
        /// The sink has declined the body.
        case declined
        case failed(FeedError)
    }

    enum Pause: Equatable {
        /// The transfer waits until the sinks have received some of their parts.
        case forRoom
        /// The transfer waits until the rate permits more. Transfers resume in the order of their turns.
        case forRate(turn: Int)
    }

    /// The statuses whose body is wanted.
    static let statusesWithBody = [200, 206]
    /// The codes of a lost connection.
    ///
    /// The last one concerns an HTTP/2 connection that the server is closing.
    private static let lostConnectionCodes = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2]

    let easy: EasyHandle
    let context: TransferContext
    private(set) var call: Call?
    /// The state of the current call.
    ///
    /// Only the transfer thread uses it, and its accesses never overlap: libcurl's callbacks change it in between.
    @exclusivity(unchecked) var state = State()

    /// The state of one call.
    struct State {
        /// The error of this side's own that ended the transfer: libcurl only knows that a callback failed.
        var reason: FeedError?
        var isRetry = false
        var isTooLarge = false
        var pause: Pause?
        var isDeclined = false
        /// The moment until which an unwanted body may be drained; nil for a wanted one.
        var drainDeadline: Instant?
        /// The error for the last refused address.
        ///
        /// `hasOpenedSocket` tells whether another address of the host was accepted.
        var refusal: FeedError?
        var hasOpenedSocket = false
        var isFromPrivateAddress = false
        var isFromSpecialAddress = false
        var stallDetector = StallDetector()
        var headerBytes = 0
        /// Whether the head has ended: libcurl takes a connection that ends within the headers for an empty body.
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

    /// Starts a call.
    ///
    /// The state must be fresh.
    func start(_ call: Call) throws(FeedError) {
        self.call = call
        if let proxy = call.proxy {
            try check(proxy, for: call.request)
            try checkLiteral(of: call.request)
        }
        try easy.prepare(for: call.request, through: call.proxy)
        try easy.useNewConnection(call.request.connectsAnew)
        try easy.closeConnectionAfterUse(false)
    }

    /// Refuses a proxy whose user name or password libcurl fails to decode: it would ignore the proxy silently.
    private func check(_ proxy: ProxyChoice.Proxy, for request: HTTPRequest) throws(FeedError) {
        guard PercentEncoding.hidesControlCharacter(proxy.text) else { return }
        throw .unusable(
            proxy.text, "a control character is in it", variable: proxy.variable, host: request.url.hostAndPort)
    }

    /// Checks the address that a URL itself names, which shows where a proxy will connect.
    private func checkLiteral(of request: HTTPRequest) throws(FeedError) {
        if let refusal = AddressCheck.refusal(ofNameIn: request.url) {
            guard request.addresses != .publicOnly else { throw refusal }
            state.isFromSpecialAddress = true
        }
        guard let address = request.url.host.flatMap(NetworkAddress.init(literal:)) else { return }
        state.isFromPrivateAddress = address.isOfOwnNetwork
        state.isFromSpecialAddress = !address.addressClass.isPublic && !address.isOfOwnNetwork
        guard request.addresses == .publicOnly else { return }
        if let refusal = AddressCheck.refusal(of: address, at: request.url) { throw refusal }
    }

    /// Returns whether the call was the first to find an existing connection closed, and should get a new connection.
    ///
    /// libcurl retries by itself, but gives up at the sixth such connection of a handle.
    func shouldRetryOnNewConnection(after code: CURLcode) -> Bool {
        !state.isRetry && Self.lostConnectionCodes.contains(code) && !hasReceivedHeader
            && (easy.hasReusedConnection || easy.hasGivenUpReusing)
    }

    /// Starts the call a second time, on a new connection.
    ///
    /// The second attempt is the last: a server could otherwise prolong the call for ever.
    func restart() throws(FeedError) {
        guard let call, !call.isCancelled else { throw .cancelled }
        state = State()
        try start(call)
        try easy.useNewConnection(true)
        state.isRetry = true
    }

    /// Delivers the last part with the end of the transfer, and returns the call.
    func finish(_ how: EndReason) -> Call? {
        guard let call else { return nil }
        let (part, ending) = finalPart(how)
        self.call = nil
        state = State()
        context.hand(part, ending, to: call)
        return call
    }

    var pause: Pause? { state.pause }

    /// Returns when the transfer counts as stalled; nil before the connection and during a pause.
    func deadline(_ timeout: IdleTimeout) -> Instant? { state.stallDetector.deadline(timeout) }

    /// Whether no data at all has arrived in that time.
    var isSilent: Bool { state.stallDetector.isSilent }

    /// Whether the response has begun.
    var hasReceivedHeader: Bool { state.headerBytes > 0 }

    /// The idle timeout of the call; nil for the run's timeout.
    var idleTimeout: IdleTimeout? { call?.idleTimeout }

    /// The host for error messages.
    var host: String? { call?.request.url.hostAndPort }

    /// Resumes a paused transfer, and returns libcurl's result for the data that it had kept back.
    func resume() -> CURLcode {
        state.pause = nil
        state.stallDetector.resume(at: context.now)
        return easy.resume()
    }
}

/// The state that all transfers of one loop share.
final class TransferContext {
    let buffers: BodyBuffers
    let floodGuard: FloodGuard
    /// Whether `floodGuard` cut a connection during libcurl's last call.
    var hasCutFlood = false
    var addresses = AddressCache()
    /// Whether a transfer has paused because the buffers are full.
    var hasPaused = false
    /// The number of times that a transfer has paused for the rate, which numbers the turns.
    private var turns = 0
    /// Whether any transfer waits for the rate.
    var hasThrottled = false
    private var budget: TokenBucket?
    /// The earliest drain deadline, or nil.
    private(set) var nextDrainDeadline: Instant?
    /// The time of the loop's current iteration.
    private(set) var now = Instant.read()

    init(buffers: BodyBuffers, rateLimit: Int64?, floodGuard: FloodGuard) {
        budget = rateLimit.map(TokenBucket.init(rate:))
        self.buffers = buffers
        self.floodGuard = floodGuard
    }

    /// Hands a part of a response to its call.
    func hand(_ part: ResponsePart, _ ending: TransferEnding? = nil, to call: Call) {
        if call.add(part, ending) { buffers.hold(part.chunk.count) }
    }

    func watchDrainDeadline(_ end: Instant) { nextDrainDeadline = min(nextDrainDeadline ?? end, end) }

    /// Returns whether the earliest drain deadline has passed, and clears it.
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

    /// Spends tokens for received bytes.
    ///
    /// If there are none, it returns the turn for which the transfer must wait.
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

    /// The moment at which throttled transfers can resume, or nil.
    var nextTurn: Instant? { hasThrottled ? budget.map { now + $0.nanosecondsToWait } : nil }

    /// Returns the time until the instant, rounded up so that the timer has passed at the wake-up.
    func milliseconds(until instant: Instant) -> Int64 {
        let nanoseconds = instant.nanoseconds - now.nanoseconds
        return nanoseconds <= 0 ? 0 : (nanoseconds + 999_999) / 1_000_000
    }
}
