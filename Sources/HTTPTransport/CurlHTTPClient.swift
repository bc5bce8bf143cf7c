package import FeedCore
internal import Synchronization

/// `HTTPClient` over libcurl's multi interface. A body that comes in one piece, and not compressed, is given to its
/// sink by the task that asked for it.
///
/// The threads don't hold on to the client; they end when it is let go of.
package final class CurlHTTPClient: HTTPClient {
    private let first: TransferThread
    /// For the tasks that prefer it; nil where one thread does better.
    private let second: TransferThread?
    private let strangers = Mutex(Strangers())
    private let settings: NetworkSettings
    private let proxies: ProxyChoices
    private let names: NameLookup

    package var executors: [any TaskExecutor] { [first, second].compactMap { $0?.executor } }

    package convenience init(settings: NetworkSettings) throws(FeedError) {
        try self.init(settings: settings, environment: ProxyChoice.environment())
    }

    /// `environment` has the proxy variables that hold if the settings say nothing. `whenEnded` is called by each
    /// transfer thread when it has let go of everything.
    init(
        settings: NetworkSettings, environment: [String: String], names: NameLookup = NameLookup(),
        whenEnded: @escaping @Sendable () -> Void = {}
    ) throws(FeedError) {
        self.settings = settings
        self.names = names
        proxies = ProxyChoices(given: settings.proxy, environment: environment)
        func start(_ number: Int, of count: Int) throws(FeedError) -> TransferThread {
            try TransferThread(
                settings: settings, share: .init(number: number, of: count), whenEnded: whenEnded)
        }
        guard Self.hasWorkForTwo(settings) else {
            (first, second) = (try start(0, of: 1), nil)
            return
        }
        first = try start(0, of: 2)
        do throws(FeedError) {
            second = try start(1, of: 2)
        } catch {
            first.mailbox.close()
            throw error
        }
    }

    /// Two take a sixth less time than one for what a server on the same machine sends as it is; with TLS, where each
    /// byte is more work, they take a sixth more, as they finish less at a time and leave the server less of the
    /// processor. Each has its own half of the connections: where there are fewer of them than requests, one half could
    /// lack what the other has idle. And a rate is held by who sees every byte.
    private static func hasWorkForTwo(_ settings: NetworkSettings) -> Bool {
        settings.isPlain && settings.rateLimit == nil && settings.requestsAtOnce > 1
            && settings.requestsAtOnce <= settings.maxConnectionsPerHost
    }

    deinit {
        first.mailbox.close()
        second?.mailbox.close()
    }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        guard let second else { return try await get(request, into: sink, by: first) }
        // The thread's that the task runs on, so that answering costs no change of threads.
        if first.isCurrent { return try await get(request, into: sink, by: first) }
        if second.isCurrent { return try await get(request, into: sink, by: second) }
        let isSecond = strangers.withLock { $0.enter() }
        defer { strangers.withLock { $0.leave(isSecond) } }
        return try await get(request, into: sink, by: isSecond ? second : first)
    }

    private func get(
        _ request: HTTPRequest, into sink: any BodySink, by thread: TransferThread
    ) async throws(FeedError) -> HTTPResponse {
        let call = Call(request, try await route(of: request), into: sink)
        let mailbox = thread.mailbox
        let delivery = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                call.wait(continuation)
                mailbox.start(call)
            }
        } onCancel: {
            call.cancel()
            mailbox.stop(call)
        }
        return try call.outcome(of: delivery).get()
    }

    private func route(of request: HTTPRequest) async throws(FeedError) -> RequestRoute {
        var route = RequestRoute(proxy: proxies.proxy(for: request))
        guard let proxy = route.proxy, proxy.isToldAddresses, let name = request.url.host,
            NetworkAddress(literal: name) == nil
        else { return route }
        let limit = (request.manner?.network ?? settings).connectTimeout
        let addresses = try await names.addresses(of: name, within: limit, host: request.url.hostAndPort)
        route.address = try proxy.address(addresses, for: request)
        return route
    }

    /// How many requests of tasks that run elsewhere each thread has: the next is for the one with fewer. All on one thread,
    /// they would have half of the connections.
    private struct Strangers {
        private var first = 0
        private var second = 0

        /// Whether it is the second's.
        mutating func enter() -> Bool {
            let isSecond = second < first
            if isSecond { second += 1 } else { first += 1 }
            return isSecond
        }

        mutating func leave(_ isSecond: Bool) {
            if isSecond { second -= 1 } else { first -= 1 }
        }
    }
}
