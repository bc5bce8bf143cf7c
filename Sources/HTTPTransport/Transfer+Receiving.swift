import CCurl
import FeedCore
import Glibc

/// The reactions to libcurl's callbacks.
extension Transfer {
    /// The limit for all header lines.
    ///
    /// libcurl limits one line and, in later versions, their sum.
    private static let mostHeaderBytes = 300 << 10

    /// Decides whether libcurl may connect to an address, for each address that it tries.
    func mayConnect(to address: NetworkAddress?) -> Bool {
        if isForPublicAddressesOnly, let refusal = AddressCheck.refusal(of: address, at: call?.request.url) {
            state.refusal = refusal
            return false
        }
        state.hasOpenedSocket = true
        return true
    }

    /// Decides whether the request may be sent on a new or existing connection.
    func connected(to address: UnsafePointer<CChar>?) -> Bool {
        state.stallDetector.setMark(at: context.now)
        guard easy.proxy == nil, let address else { return !isForPublicAddressesOnly }
        let known = context.addresses.facts(about: address)
        if isForPublicAddressesOnly, let refusal = AddressCheck.refusal(of: known.address, at: call?.request.url) {
            state.reason = refusal
            return false
        }
        state.isFromPrivateAddress = known.isOfOwnNetwork
        state.isFromSpecialAddress = !known.isPublic && !known.isOfOwnNetwork
        return true
    }

    /// Whether private addresses are forbidden.
    ///
    /// A proxy itself decides where it connects.
    private var isForPublicAddressesOnly: Bool { call?.request.addresses == .publicOnly && easy.proxy == nil }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> CallbackResult {
        if !hasReceivedHeader { state.stallDetector.setMark(at: context.now) }
        context.floodGuard.delivered(line.count)
        state.headerBytes += line.count
        // Lines after the head are trailers. They are ignored and count as no progress.
        if !state.isHeadComplete {
            state.stallDetector.add(line.count, at: context.now)
            if line.count > 2 {
                state.headers.take(line)
            } else if easy.status >= 200 {
                state.isHeadComplete = true
                state.stallDetector.setMark(at: context.now)
                if !Self.statusesWithBody.contains(easy.status) { startDrainDeadline() }
                if state.headers.isLengthUnclear {
                    state.reason = failure(.connectivity, "the answer announces a length that is not one number")
                    return .end
                }
                if let problem = state.headers.codings.problem {
                    state.reason = failure(.invalidData, problem)
                    return .end
                }
            } else {
                // The headers of an interim response are dropped.
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
        if state.received == 0, let announced = easy.announcedLength {
            guard announced <= limit else { return tooLarge() }
            state.chunk.reserveCapacity(Int(min(announced, Int64(BodyBuffers.chunkBytes))))
        }
        guard Int64(bytes.count) <= limit - state.received else { return tooLarge() }
        let isChunkFull = !state.isDeclined && state.chunk.count + bytes.count > BodyBuffers.chunkBytes
        if isChunkFull, !context.buffers.hasRoom {
            context.hasPaused = true
            return pause(.forRoom)
        }
        if context.limitsRate, !bytes.isEmpty, let turn = context.spend(bytes.count) {
            return pause(.forRate(turn: turn))
        }
        if isChunkFull {
            if let call { context.hand(takePart(), to: call) }
            state.chunk = context.buffers.emptyChunk()
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

    /// Takes the current chunk, with the head unless it was already delivered.
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

/// The draining of an unwanted body: its response is complete, and only the connection needs the rest.
extension Transfer {
    /// The most bytes that are drained: fewer are cheaper than a new connection.
    private static let mostBytesToDrain: Int64 = 64 << 10
    /// The longest time for draining, in nanoseconds: beyond it, a new connection is cheaper.
    private static let longestDrain: Int64 = 1_000_000_000

    /// Starts the deadline for a body that is probably unwanted.
    ///
    /// Other bodies are only watched for stalls.
    func startDrainDeadline() {
        guard state.drainDeadline == nil else { return }
        let end = context.now + Self.longestDrain
        state.drainDeadline = end
        context.watchDrainDeadline(end)
    }

    /// Marks the body as declined, and returns whether to drain its rest.
    ///
    /// Otherwise the transfer should end.
    func decline() -> Bool {
        state.isDeclined = true
        startDrainDeadline()
        guard !isDrainOverdue, let announced = easy.announcedLength else { return false }
        return announced - state.received <= Self.mostBytesToDrain
    }

    private var isDrainOverdue: Bool { state.drainDeadline.map { $0 <= context.now } ?? false }

    /// Returns whether the transfer should end because its drain deadline has passed.
    ///
    /// A sink without a head yet receives the head now, and may decline the body.
    func shouldStopDraining() -> Bool {
        guard let end = state.drainDeadline else { return false }
        guard isDrainOverdue else {
            context.watchDrainDeadline(end)
            return false
        }
        if state.deliveredHead == nil, let call { context.hand(headPart(), to: call) }
        return state.isDeclined
    }
}

/// The functions that libcurl calls, each with its transfer as context.
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
        // The socket callback gets the guard as its context, because a connection may outlive the transfer.
        try easy.close(by: Unmanaged.passUnretained(context.floodGuard).toOpaque()) { floodGuard, socket in
            guard let floodGuard else { return close(socket) }
            return Unmanaged<FloodGuard>.fromOpaque(floodGuard).takeUnretainedValue().close(socket)
        }
    }

    /// Returns the transfer behind a context.
    ///
    /// It is unretained, because the transfer owns the handle and outlives its callbacks.
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls `work` with the transfer behind a context, without counting references: libcurl calls back for each header
    /// line.
    private static func with<Outcome>(
        _ context: UnsafeMutableRawPointer?, _ work: (Transfer) -> Outcome
    ) -> Outcome? {
        context.map { Unmanaged<Transfer>.fromOpaque($0)._withUnsafeGuaranteedRef(work) }
    }
}

extension Transfer.CallbackResult {
    /// Returns libcurl's code for the result: the number of bytes, the code for a pause, or another number for a
    /// failure.
    fileprivate func code(_ bytes: Int) -> Int {
        switch self {
        case .taken: bytes
        case .pause: Int(CURL_WRITEFUNC_PAUSE)
        case .end: bytes == 0 ? 1 : 0
        }
    }
}

extension NetworkAddress {
    /// Reads the address of a socket; nil for another family than IPv4 and IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        // The size of the address depends on the family.
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
