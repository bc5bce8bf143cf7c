import CCurl
import FeedCore
import Glibc

/// What libcurl calls back with.
extension Transfer {
    private static let chunkBytes = 128 << 10
    /// libcurl has limits of its own, for a line and, in later versions, for all of them.
    private static let mostHeaderBytes = 300 << 10

    /// For each address that is tried. False: it must not be connected to.
    func mayConnect(to address: NetworkAddress?) -> Bool {
        if isForPublicAddressesOnly, let refusal = AddressCheck.refusal(of: address, at: call?.request.url) {
            state.refusal = refusal
            return false
        }
        state.hasOpenedSocket = true
        return true
    }

    /// Before the request is sent, on a connection of its own or one that was there. False: it must not be sent.
    func connected(to address: UnsafePointer<CChar>?) -> Bool {
        state.stallDetector.setMark(at: context.now)
        guard easy.proxy == nil, let address else { return !isForPublicAddressesOnly }
        let known = context.addresses.facts(about: address)
        if isForPublicAddressesOnly, let refusal = AddressCheck.refusal(of: known.address, at: call?.request.url) {
            state.reason = refusal
            return false
        }
        state.isFromPrivateAddress = known.isOfOwnNetwork
        if !known.isPublic { state.touchedPrivateAddress = true }
        return true
    }

    /// Whom a proxy connects to by name is the proxy's affair.
    private var isForPublicAddressesOnly: Bool { call?.request.addresses == .publicOnly && easy.proxy == nil }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> CallbackResult {
        if !hasReceivedHeader { state.stallDetector.setMark(at: context.now) }
        context.floodGuard.delivered(line.count)
        state.headerBytes += line.count
        // Lines after the head are trailers. They mean nothing here, and a server that drips them makes no progress.
        if !state.isHeadComplete {
            state.stallDetector.add(line.count, at: context.now)
            if line.count > 2 {
                state.headers.take(line)
            } else if easy.status >= 200 {
                state.isHeadComplete = true
                state.stallDetector.setMark(at: context.now)
                if !Self.statusesOfBodies.contains(easy.status) { startDrainDeadline() }
                if state.headers.isLengthUnclear {
                    state.reason = failure(.connectivity, "the answer announces a length that is not one number")
                    return .end
                }
                if let problem = state.headers.codings.problem {
                    state.reason = failure(.invalidData, problem)
                    return .end
                }
            } else {
                // An interim answer's are nobody's concern either.
                state.headers = ResponseHeaders()
            }
        }
        guard state.headerBytes <= Self.mostHeaderBytes else {
            let limit = ByteCount.text(Int64(Self.mostHeaderBytes))
            state.reason = failure(.invalidData, "the headers are larger than \(limit)")
            return .end
        }
        return .taken
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> CallbackResult {
        context.floodGuard.delivered(bytes.count)
        if state.received == 0, let announced = easy.contentLength {
            guard announced <= limit else { return tooLarge() }
            state.chunk.reserveCapacity(Int(min(announced, Int64(Self.chunkBytes))))
        }
        guard Int64(bytes.count) <= limit - state.received else { return tooLarge() }
        let isChunkFull = !state.isDeclined && state.chunk.count + bytes.count > Self.chunkBytes
        if isChunkFull, !context.deliveries.hasRoom {
            context.hasPaused = true
            return pause(.forRoom)
        }
        if context.limitsRate, !bytes.isEmpty, let turn = context.spend(bytes.count) {
            return pause(.forRate(turn: turn))
        }
        if isChunkFull {
            if let call { context.deliveries.add(takePart(), to: call) }
            state.chunk.reserveCapacity(Self.chunkBytes)
        }
        if !state.isDeclined { state.chunk.append(contentsOf: bytes) }
        state.received += Int64(bytes.count)
        state.stallDetector.add(bytes.count, at: context.now)
        return .taken
    }

    private func pause(_ pause: Pause) -> CallbackResult {
        state.pause = pause
        state.stallDetector.pause(at: context.now)
        return .pause
    }

    private var limit: Int64 { call?.request.maxBytes ?? 0 }

    private func tooLarge() -> CallbackResult {
        state.isTooLarge = true
        state.reason = FeedError.larger(than: limit, host: host).at(.transferring)
        return .end
    }

    /// The chunk as it is, with the head if that hasn't been handed over yet.
    func takePart() -> ResponsePart {
        var part = state.deliveredHead == nil ? headPart() : ResponsePart()
        swap(&part.chunk, &state.chunk)
        return part
    }

    func headPart() -> ResponsePart {
        let head = head
        state.deliveredHead = head
        return ResponsePart(head: head, coding: state.headers.codings.coding)
    }
}

/// What becomes of a body that nobody wants: its answer is known, and waits for nothing but the connection.
extension Transfer {
    /// What is left of it is read if it isn't more than this: cheaper than a new connection.
    private static let mostBytesToDrain: Int64 = 64 << 10
    /// And if it doesn't take longer than this, in nanoseconds: dearer than a new connection.
    private static let longestDrain: Int64 = 1_000_000_000

    /// For a body that is unwanted, or probably so. Any other has all the time that it takes, and is watched by nobody.
    func startDrainDeadline() {
        guard state.drainDeadline == nil else { return }
        let end = context.now + Self.longestDrain
        state.drainDeadline = end
        context.watchDrainDeadline(end)
    }

    /// The sink doesn't want the body. False: so much of it is left, or it takes so long, that the transfer is better
    /// ended.
    func decline() -> Bool {
        state.isDeclined = true
        startDrainDeadline()
        guard !isDrainOverdue, let announced = easy.contentLength else { return false }
        return announced - state.received <= Self.mostBytesToDrain
    }

    private var isDrainOverdue: Bool { state.drainDeadline.map { $0 <= context.now } ?? false }

    /// Whether the transfer is to be ended, as the time for a body that isn't wanted is over. A sink that hasn't been
    /// asked whether it wants that is asked now, and may decline it.
    func shouldStopDraining() -> Bool {
        guard let end = state.drainDeadline else { return false }
        guard isDrainOverdue else {
            context.watchDrainDeadline(end)
            return false
        }
        if state.deliveredHead == nil, let call { context.deliveries.add(headPart(), to: call) }
        return state.isDeclined
    }
}

/// The functions that libcurl calls, each with the transfer that it is about.
extension Transfer {
    func connectCallbacks() throws(FeedError) {
        try easy.connect(
            to: Unmanaged.passUnretained(self).toOpaque(),
            body: { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.with(context) { $0.receive(bytes) }?.code(bytes.count) ?? 0
            },
            header: { line, size, count, context in
                let line = UnsafeRawBufferPointer(start: line, count: size * count)
                return Transfer.with(context) { $0.receiveHeader(line) }?.code(line.count) ?? 0
            },
            connected: { context, address, _, _, _ in
                let mayAsk = Transfer.with(context) { $0.connected(to: address) } ?? false
                return Int32(mayAsk ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
            },
            opening: { context, _, address in
                guard let address, Transfer.with(context, { $0.mayConnect(to: NetworkAddress(address)) }) == true
                else { return CURL_SOCKET_BAD }
                let (family, type) = (address.pointee.family, address.pointee.socktype)
                let socket = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
                if socket >= 0 { Transfer.with(context) { $0.context.floodGuard.add(socket) } }
                return socket
            })
        // Not to the transfer: a connection may outlive it.
        try easy.close(by: Unmanaged.passUnretained(context.floodGuard).toOpaque()) { floodGuard, socket in
            guard let floodGuard else { return close(socket) }
            return Unmanaged<FloodGuard>.fromOpaque(floodGuard).takeUnretainedValue().close(socket)
        }
    }

    /// Unretained: a transfer outlives its handle's last callback, as it owns the handle.
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// As `from`, without counting a reference: an answer has a callback for each of its lines.
    private static func with<Outcome>(
        _ context: UnsafeMutableRawPointer?, _ work: (Transfer) -> Outcome
    ) -> Outcome? {
        context.map { Unmanaged<Transfer>.fromOpaque($0)._withUnsafeGuaranteedRef(work) }
    }
}

extension Transfer.CallbackResult {
    /// As libcurl has it: all bytes, the number that means a pause, or any other for a failure.
    fileprivate func code(_ bytes: Int) -> Int {
        switch self {
        case .taken: bytes
        case .pause: Int(CURL_WRITEFUNC_PAUSE)
        case .end: bytes == 0 ? 1 : 0
        }
    }
}

extension NetworkAddress {
    /// Of what libcurl is about to connect to; nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        // What is declared as a `sockaddr` is as long as the family makes it.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let bytes = UnsafeRawPointer(address) + offset
        switch address.pointee.family {
        case AF_INET:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
        default: return nil
        }
    }
}
