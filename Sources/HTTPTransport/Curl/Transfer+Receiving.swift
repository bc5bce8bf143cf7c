import FeedCore

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
        state.hasOpened = true
        return true
    }

    /// Before the request is sent, on a connection of its own or one that was there. False: it must not be sent.
    func connected(to address: UnsafePointer<CChar>?) -> Bool {
        state.arrivals.setMark(at: context.now)
        guard easy.proxy == nil, let address else { return !isForPublicAddressesOnly }
        let known = context.addresses.look(at: address)
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

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Answer {
        if !hasHeard { state.arrivals.setMark(at: context.now) }
        context.floodGuard.delivered(line.count)
        state.headerBytes += line.count
        // Lines after the head are trailers. They mean nothing here, and a server that drips them makes no progress.
        if !state.isHeadComplete {
            state.arrivals.add(line.count, at: context.now)
            if line.count > 2 {
                state.headers.take(line)
            } else if easy.status >= 200 {
                state.isHeadComplete = true
                state.arrivals.setMark(at: context.now)
                if !Self.statusesOfBodies.contains(easy.status) { losePatience() }
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
                state.headers = AnswerHeaders()
            }
        }
        guard state.headerBytes <= Self.mostHeaderBytes else {
            let limit = ByteCount.text(Int64(Self.mostHeaderBytes))
            state.reason = failure(.invalidData, "the headers are larger than \(limit)")
            return .end
        }
        return .taken
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Answer {
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
            if let call { context.deliveries.add(rest(), to: call) }
            state.chunk.reserveCapacity(Self.chunkBytes)
        }
        if !state.isDeclined { state.chunk.append(contentsOf: bytes) }
        state.received += Int64(bytes.count)
        state.arrivals.add(bytes.count, at: context.now)
        return .taken
    }

    private func pause(_ pause: Pause) -> Answer {
        state.pause = pause
        state.arrivals.pause(at: context.now)
        return .pause
    }

    private var limit: Int64 { call?.request.maxBytes ?? 0 }

    private func tooLarge() -> Answer {
        state.isTooLarge = true
        state.reason = FeedError.larger(than: limit, host: host).at(.transferring)
        return .end
    }

    /// The chunk as it is, with the head if that hasn't been handed over yet.
    func rest() -> Parcel {
        var parcel = state.handedOver == nil ? headAlone() : Parcel()
        swap(&parcel.chunk, &state.chunk)
        return parcel
    }

    func headAlone() -> Parcel {
        let head = head
        state.handedOver = head
        return Parcel(head: head, coding: state.headers.codings.coding)
    }
}
