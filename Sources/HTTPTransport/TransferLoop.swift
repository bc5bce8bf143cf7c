import CCurl
import FeedCore

/// Runs on the transfer thread, which has exclusive access to the multi handle and its transfers.
struct TransferLoop: ~Copyable {
    private static let mostSpareTransfers = 64
    private static let longestWait: Int64 = 60_000

    private let settings: NetworkSettings
    private let idleTimeout: IdleTimeout
    private let multi: MultiHandle
    private let mailbox: Mailbox
    private let context: TransferContext

    private var running: [ObjectIdentifier: Transfer] = [:]
    private var spare: [Transfer] = []
    /// The earliest moment at which a transfer may be stalled.
    private var nextIdleCheck: Instant?

    init(
        settings: NetworkSettings, multi: MultiHandle, mailbox: Mailbox, buffers: BodyBuffers
    ) {
        self.settings = settings
        idleTimeout = IdleTimeout(settings.idleTimeout)
        self.multi = multi
        self.mailbox = mailbox
        context = TransferContext(
            buffers: buffers, rateLimit: settings.rateLimit, floodGuard: multi.floodGuard)
    }

    /// Runs until the mailbox is closed, and then cancels the running calls.
    mutating func run() {
        var isClosing = false
        while !isClosing {
            let mail = mailbox.collect()
            context.tick()
            act(on: mail)
            perform()
            finishEnded()
            resumeThrottled()
            resumePaused()
            endIdle()
            endOverdueDrains()
            isClosing = mail.isClosing
            if !isClosing, mailbox.fallAsleep() { check(multi.wait(milliseconds: timeToWait)) }
        }
        endAll(.cancelled)
    }

    private mutating func perform() {
        let cuts = context.floodGuard.cuts
        context.floodGuard.begin()
        check(multi.perform())
        context.hasCutFlood = context.floodGuard.cuts != cuts
    }

    private mutating func act(on mail: Mail) {
        for call in mail.starts { start(call) }
        for call in mail.declines {
            guard let transfer = running[ObjectIdentifier(call)] else { continue }
            if !transfer.decline() { end(transfer, .declined) }
        }
        for call in mail.stops {
            // The call may have ended meanwhile. The caller knows why it was stopped.
            if let transfer = running[ObjectIdentifier(call)] { end(transfer, .failed(.cancelled)) }
        }
    }

    private mutating func start(_ call: Call) {
        let transfer: Transfer
        do throws(FeedError) {
            transfer = try idleTransfer()
        } catch {
            return call.fail(error)
        }
        running[ObjectIdentifier(call)] = transfer
        if call.proxy != nil { multi.removeHostLimit() }
        do throws(FeedError) {
            try transfer.start(call)
            guard !call.isCancelled else { throw .cancelled }
            try multi.add(transfer.easy)
        } catch {
            end(transfer, .failed(error))
        }
        watch(context.now + (transfer.idleTimeout ?? idleTimeout).nanoseconds)
    }

    private mutating func watch(_ deadline: Instant) {
        nextIdleCheck = min(nextIdleCheck ?? deadline, deadline)
    }

    private mutating func idleTransfer() throws(FeedError) -> Transfer {
        if let transfer = spare.popLast() { return transfer }
        return try Transfer(settings: settings, context: context)
    }

    private mutating func finishEnded() {
        while let (owner, code) = multi.nextEnded() {
            guard let transfer = Transfer.from(owner) else { continue }
            if transfer.shouldRetryOnNewConnection(after: code) {
                restart(transfer)
            } else {
                end(transfer, .ended(code))
            }
        }
    }

    private mutating func restart(_ transfer: Transfer) {
        multi.remove(transfer.easy)
        do throws(FeedError) {
            try transfer.restart()
            try multi.add(transfer.easy)
        } catch {
            end(transfer, .failed(error))
        }
    }

    private mutating func end(_ transfer: Transfer, _ how: Transfer.EndReason) {
        if let call = transfer.finish(how) { running[ObjectIdentifier(call)] = nil }
        multi.remove(transfer.easy)
        if spare.count < Self.mostSpareTransfers { spare.append(transfer) }
    }

    private mutating func endAll(_ error: FeedError) {
        for transfer in Array(running.values) { end(transfer, .failed(error)) }
    }

    /// Resumes the transfers that wait for room.
    ///
    /// It repeats if they have filled the queue again at once.
    private mutating func resumePaused() {
        while context.hasPaused, context.buffers.awaitRoom() {
            context.hasPaused = false
            for transfer in Array(running.values) where transfer.pause == .forRoom { resume(transfer) }
        }
    }

    private mutating func resumeThrottled() {
        guard context.hasThrottled, context.mayReceive else { return }
        context.hasThrottled = false
        let waiting = running.values.compactMap { transfer in
            if case .forRate(let turn) = transfer.pause { (turn: turn, transfer: transfer) } else { nil }
        }
        for (_, transfer) in waiting.sorted(by: { $0.turn < $1.turn }) {
            if context.mayReceive { resume(transfer) } else { context.hasThrottled = true }
        }
    }

    private mutating func resume(_ transfer: Transfer) {
        let code = transfer.resume()
        if code != CURLE_OK { return end(transfer, .ended(code)) }
        // The rest of its idle time may end before the next check.
        if let deadline = transfer.deadline(transfer.idleTimeout ?? idleTimeout) { watch(deadline) }
    }

    private mutating func endIdle() {
        guard let check = nextIdleCheck, check <= context.now else { return }
        var next: Instant?
        for transfer in Array(running.values) {
            let timeout = transfer.idleTimeout ?? idleTimeout
            let deadline = transfer.deadline(timeout) ?? context.now + timeout.nanoseconds
            if deadline <= context.now {
                endIdle(transfer, timeout.error(host: transfer.host, isSilent: transfer.isSilent))
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        nextIdleCheck = next
    }

    private mutating func endOverdueDrains() {
        guard context.hasReachedDrainDeadline() else { return }
        for transfer in Array(running.values) where transfer.shouldStopDraining() { end(transfer, .declined) }
    }

    /// Ends a stalled transfer.
    ///
    /// Its connection may be dead; libcurl closes it after its last request, so that later requests use another.
    private mutating func endIdle(_ transfer: Transfer, _ error: FeedError) {
        do throws(FeedError) {
            try transfer.easy.closeConnectionAfterUse(true)
            end(transfer, .failed(error.at(transfer.hasReceivedHeader ? .transferring : .waiting)))
        } catch {
            end(transfer, .failed(error))
        }
    }

    private var timeToWait: Int32 {
        let times = [nextIdleCheck, context.nextDrainDeadline, context.nextTurn]
            .compactMap { $0.map(context.milliseconds) }
        return Int32(times.reduce(Self.longestWait, min))
    }

    /// Ends all transfers if the multi handle fails, which happens only without memory.
    private mutating func check(_ code: CURLMcode) {
        if code != CURLM_OK { endAll(.connectivity("libcurl: \(String(cString: curl_multi_strerror(code)))")) }
    }
}
