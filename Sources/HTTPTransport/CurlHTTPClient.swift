package import FeedCore

/// Implements `HTTPClient` with libcurl's multi interface.
///
/// The requesting task passes the body to its sink as the chunks arrive, on one of the client's threads. Cancellation
/// is independent of the transfer thread, because a server can keep that thread inside libcurl. The threads end when
/// the client is released.
package final class CurlHTTPClient: HTTPClient {
    let mailbox: Mailbox
    private let proxies: ProxyChoices
    private let buffers = BodyBuffers()
    private let sinkThreads: SinkThreads

    package convenience init(settings: NetworkSettings) throws(FeedError) {
        try self.init(settings: settings, environment: ProxyChoice.environment())
    }

    /// Creates a client.
    ///
    /// `environment` holds the proxy variables, which apply if the settings name no proxy. The transfer thread calls
    /// `whenEnded` after it has released everything.
    init(
        settings: NetworkSettings, environment: [String: String], whenEnded: @escaping @Sendable () -> Void = {}
    ) throws(FeedError) {
        proxies = ProxyChoices(given: settings.proxy, environment: environment)
        let multi = try MultiHandle(
            connectionsPerHost: settings.maxConnectionsPerHost, mostConnections: settings.maxConnections)
        let mailbox = Mailbox(multi: multi)
        self.mailbox = mailbox
        sinkThreads = try SinkThreads()
        try NativeThread.start { [buffers] in
            var loop = TransferLoop(settings: settings, multi: multi, mailbox: mailbox, buffers: buffers)
            loop.run()
            whenEnded()
        }
    }

    deinit { mailbox.close() }

    package var executor: (any TaskExecutor)? { sinkThreads }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let call = Call(request, through: proxies.proxy(for: request))
        let outcome = await withTaskCancellationHandler {
            mailbox.start(call)
            return await withTaskExecutorPreference(sinkThreads) { await receive(call, into: sink) }
        } onCancel: {
            release(call.cancel())
            mailbox.stop(call)
        }
        return try outcome.get()
    }

    private func receive(_ call: Call, into sink: any BodySink) async -> Call.Outcome {
        var receiver = BodyReceiver(call, into: sink)
        while true {
            var delivery = await call.next()
            let (wasWanted, hadFailed) = (receiver.isWanted, receiver.failure != nil)
            for slot in delivery.parts.indices {
                receiver.receive(delivery.parts[slot])
                release(delivery.parts[slot].chunk.count)
                buffers.reuse(&delivery.parts[slot].chunk)
            }
            if let ending = delivery.ending { return receiver.outcome(of: ending) }
            if receiver.failure != nil, !hadFailed {
                mailbox.stop(call)
            } else if !receiver.isWanted, wasWanted {
                mailbox.decline(call)
            }
        }
    }

    private func release(_ bytes: Int) {
        if buffers.release(bytes) { mailbox.announceRoom() }
    }
}
