package import FeedCore

/// Implements `HTTPClient` with libcurl's multi interface.
///
/// A small uncompressed body is passed to its sink by the requesting task.
///
/// The threads end when the client is released. Cancellation is independent of the transfer thread, because a server
/// can keep that thread inside libcurl.
package final class CurlHTTPClient: HTTPClient {
    private static let workerCount = 2

    let mailbox: Mailbox
    private let proxies: ProxyChoices

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
        let deliveries = DeliveryQueue(mostBytes: DeliveryQueue.mostBytes)
        let worker = DeliveryWorker(queue: deliveries, mailbox: mailbox)
        self.mailbox = mailbox
        var workers = 0
        do throws(FeedError) {
            while workers < Self.workerCount {
                try NativeThread.start { worker.run() }
                workers += 1
            }
            try NativeThread.start {
                var loop = TransferLoop(settings: settings, multi: multi, mailbox: mailbox, deliveries: deliveries)
                loop.run()
                for _ in 1...Self.workerCount { deliveries.dismissWorker() }
                whenEnded()
            }
        } catch {
            for _ in 0..<workers { deliveries.dismissWorker() }
            throw error
        }
    }

    deinit { mailbox.close() }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let call = Call(request, through: proxies.proxy(for: request), into: sink)
        let mailbox = mailbox
        let delivery = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in call.wait(continuation, mailbox.start) }
        } onCancel: {
            call.cancel()
            mailbox.stop(call)
        }
        return try call.outcome(of: delivery).get()
    }
}
