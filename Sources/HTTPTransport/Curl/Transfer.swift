import CCurl
import FeedCore

/// One transfer under way, on the transfer thread; used again for the next when it has ended.
///
/// Bytes are gathered into a chunk, which goes to the workers when it is full. A body that is complete before goes to its
/// caller, with one hand-over.
final class Transfer {
    enum Answer { case taken, pause, end }

    enum HowEnded {
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
        var isSecondTry = false
        var isTooLarge = false
        var pause: Pause?
        var isDeclined = false
        /// Until when a body may come that is of no interest; nil while it may be of some.
        var patienceEnds: Instant?
        /// Why the last address was refused, and whether another wasn't: a name may have several.
        var refusal: FeedError?
        var hasOpened = false
        var isFromPrivateAddress = false
        /// The request went to an address that is not public, or by a proxy to a URL that names one.
        var touchedPrivateAddress = false
        var arrivals = StallDetector()
        var headerBytes = 0
        /// To libcurl, a connection that ends within the headers is a body that is empty.
        var isHeadComplete = false
        var headers = AnswerHeaders()
        var received: Int64 = 0
        var chunk: [UInt8] = []
        var handedOver: HTTPHead?
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
    func deservesSecondTry(after code: CURLcode) -> Bool {
        !state.isSecondTry && Self.codesOfLostConnections.contains(code) && !hasHeard
            && (easy.hasReusedConnection || easy.hasGivenUpReusing)
    }

    /// Starts the transfer a second time, on a new connection. There is no third time: a server that refuses each request
    /// could otherwise keep it going for ever.
    func startAgain() throws(FeedError) {
        guard let call, !call.isCancelled else { throw .cancelled }
        state = State()
        try start(call)
        try easy.connectAnew(true)
        state.isSecondTry = true
    }

    /// Hands over what is left, and with it how the transfer ended. Gives back the call that it was for.
    func finish(_ how: HowEnded) -> Call? {
        guard let call else { return nil }
        // To decode a few bytes may take long: not for the caller, whom others may be waiting for.
        let isWhole = state.handedOver == nil && state.headers.codings.coding == nil
        let (parcel, ending) = last(how)
        self.call = nil
        state = State()
        if isWhole {
            call.complete(.whole(parcel, ending))
        } else {
            context.deliveries.add(parcel, ending, to: call)
        }
        return call
    }

    var pause: Pause? { state.pause }

    /// When too little has come for too long; nil while that can't be: before there is a connection, and while it's this
    /// side that doesn't read.
    func deadline(_ timeout: IdleTimeout) -> Instant? { state.arrivals.deadline(timeout) }

    /// Whether nothing at all has come in that time.
    var isSilent: Bool { state.arrivals.isSilent }

    /// Whether anything of an answer has come.
    var hasHeard: Bool { state.headerBytes > 0 }

    /// Nil for that of the run.
    var idleTimeout: IdleTimeout? { call?.idleTimeout }

    /// As errors name it.
    var host: String? { call?.request.url.hostAndPort }

    /// Takes the data that libcurl kept back, and says what came of that.
    func resume() -> CURLcode {
        state.pause = nil
        state.arrivals.resume(at: context.now)
        return easy.resume()
    }
}
