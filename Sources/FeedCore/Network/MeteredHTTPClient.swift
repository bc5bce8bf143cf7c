import Synchronization

/// Counts the bytes of bodies as they come, over all requests.
package final class ByteMeter: Sendable {
    private let count = Atomic<Int64>(0)

    package init() {}

    package var bytes: Int64 { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.wrappingAdd(Int64(bytes), ordering: .relaxed) }
}

package final class MeteredHTTPClient: HTTPClient {
    private let client: any HTTPClient
    private let meter: ByteMeter

    package init(_ client: any HTTPClient, meter: ByteMeter) {
        self.client = client
        self.meter = meter
    }

    package var executors: [any TaskExecutor] { client.executors }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        try await client.get(request, into: MeteredSink(sink: sink, meter: meter))
    }
}

private final class MeteredSink: BodySink {
    private let sink: any BodySink
    private let meter: ByteMeter

    init(sink: any BodySink, meter: ByteMeter) {
        self.sink = sink
        self.meter = meter
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { try sink.begin(head) }

    func receive(_ chunk: [UInt8]) throws(FeedError) {
        meter.add(chunk.count)
        try sink.receive(chunk)
    }
}
