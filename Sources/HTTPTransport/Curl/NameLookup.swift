// libcurl's headers declare what the system's do: see NativeThread.
import CCurl
import FeedCore
import Glibc
import Synchronization

/// Looks names up for a proxy that is told addresses: the one that is checked is then the one that is connected to. An
/// answer is kept as long as libcurl keeps its own, so that the requests to one host share connections.
final class NameLookup: Sendable {
    typealias Answer = Result<[NetworkAddress], Problem>
    typealias Resolver = @Sendable (_ name: String) -> Answer

    enum Problem: Error {
        case failed(String)
        case cancelled
    }

    private static let lifetime = Duration.seconds(60)

    private enum Entry {
        case asked([Waiter])
        case known([NetworkAddress], until: ContinuousClock.Instant)
    }

    private let resolve: Resolver
    private let entries = Mutex<[String: Entry]>([:])

    /// `resolve` may take its time.
    init(_ resolve: @escaping Resolver = NameLookup.ask) { self.resolve = resolve }

    /// In the order in which they are best tried.
    func addresses(of name: String, within limit: Duration, host: String?) async throws(FeedError) -> [NetworkAddress] {
        let waiter = Waiter()
        let timer = Task {
            try await Task.sleep(for: limit)
            waiter.complete(.failure(.failed("\(name) could not be looked up within \(limit.inWords)")))
        }
        defer { timer.cancel() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                ask(for: name, waiter)
            }
        } onCancel: {
            waiter.complete(.failure(.cancelled))
        }
        switch answer {
        case .success(let addresses): return addresses
        case .failure(.failed(let message)): throw FeedError.connectivity(message, host: host).at(.connecting)
        case .failure(.cancelled): throw .cancelled
        }
    }

    private func ask(for name: String, _ waiter: Waiter) {
        let known: [NetworkAddress]?
        let isFirst: Bool
        (known, isFirst) = entries.withLock { entries in
            switch entries[name] {
            case .known(let addresses, let end) where end > .now: return (addresses, false)
            case .asked(let waiters):
                entries[name] = .asked(waiters + [waiter])
                return (nil, false)
            default:
                entries[name] = .asked([waiter])
                return (nil, true)
            }
        }
        if let known { waiter.complete(.success(known)) }
        guard isFirst else { return }
        do throws(FeedError) {
            try NativeThread.start { [self] in learn(resolve(name), of: name) }
        } catch {
            learn(.failure(.failed(error.message)), of: name)
        }
    }

    /// A failure is told to those who wait, and not kept.
    private func learn(_ answer: Answer, of name: String) {
        let waiters: [Waiter] = entries.withLock { entries in
            defer {
                if case .success(let addresses) = answer {
                    entries[name] = .known(addresses, until: .now + Self.lifetime)
                } else {
                    entries[name] = nil
                }
            }
            if case .asked(let waiters) = entries[name] { return waiters }
            return []
        }
        for waiter in waiters { waiter.complete(answer) }
    }

    /// The system, as it is set up.
    @Sendable private static func ask(_ name: String) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            return .failure(.failed("\(name) could not be looked up: \(reason)"))
        }
        defer { freeaddrinfo(first) }
        let all = sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }
        return .success(all.compactMap { $0?.pointee.ai_addr.flatMap { NetworkAddress($0) } })
    }
}

/// Who waits for an answer, until it comes or there is no use in it any more: of several ends the first counts.
private final class Waiter: Sendable {
    private struct State {
        var answer: NameLookup.Answer?
        var continuation: CheckedContinuation<NameLookup.Answer, Never>?
    }

    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<NameLookup.Answer, Never>) {
        let answer = state.withLock { state in
            if state.answer == nil { state.continuation = continuation }
            return state.answer
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func complete(_ answer: NameLookup.Answer) {
        let continuation: CheckedContinuation<NameLookup.Answer, Never>? = state.withLock { state in
            guard state.answer == nil else { return nil }
            state.answer = answer
            return state.continuation.take()
        }
        continuation?.resume(returning: answer)
    }
}
