package import FeedCore

/// `HTTPClient` over libcurl's multi interface: one thread moves all transfers. A body that comes in one piece is given
/// to its sink by the task that asked for it; two workers feed the sinks of those that come in parts.
///
/// The threads don't hold on to the client; they end when it is let go of.
package final class CurlHTTPClient: HTTPClient {
    private static let workerCount = 2

    private let mailbox: Mailbox
    private let transferExecutor: TransferExecutor
    package var executor: (any TaskExecutor)? { transferExecutor }

    package convenience init(settings: NetworkSettings) throws(FeedError) {
        try self.init(settings: settings, environment: ProxyChoice.environment())
    }

    /// `environment` has the proxy variables that hold if the settings say nothing. `whenEnded` is called by the
    /// transfer thread when it has let go of everything.
    init(
        settings: NetworkSettings, environment: [String: String], whenEnded: @escaping @Sendable () -> Void = {}
    ) throws(FeedError) {
        let multi = try MultiHandle(connectionsPerHost: settings.maxConnectionsPerHost)
        let mailbox = Mailbox(multi: multi)
        let deliveries = DeliveryQueue()
        let executor = TransferExecutor(mailbox)
        self.mailbox = mailbox
        transferExecutor = executor

        let proxies = ProxyChoices(given: settings.proxy, environment: environment)
        let worker = DeliveryWorker(queue: deliveries, mailbox: mailbox)
        for _ in 1...Self.workerCount {
            try NativeThread.start { worker.run() }
        }
        try NativeThread.start {
            TransferLoop(
                settings: settings, proxies: proxies, multi: multi, mailbox: mailbox, executor: executor,
                deliveries: deliveries
            ).run()
            for _ in 1...Self.workerCount { deliveries.dismissWorker() }
            whenEnded()
        }
    }

    deinit { close() }

    /// Ends what is under way as cancelled, and the threads; no later request is served.
    package func close() { mailbox.close() }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let call = Call(request, into: sink)
        let delivery = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.wait(continuation)
                mailbox.start(call)
            }
        } onCancel: {
            call.cancel()
            mailbox.stop(call)
        }
        switch delivery {
        case .done(let outcome): return try outcome.get()
        case .whole(let parcel, let ending):
            var progress = Call.Progress()
            call.give(parcel, &progress)
            return try call.outcome(of: ending, after: progress).get()
        }
    }
}
