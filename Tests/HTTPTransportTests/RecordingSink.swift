import FeedCore
import Glibc
import Synchronization
import TestDoubles
import TestSupport

@testable import HTTPTransport

/// A sink that records its calls in order.
final class RecordingSink: BodySink {
    enum Message: Hashable {
        case begin(HTTPHead)
        case receive(Int)
    }

    private let record = Mutex((messages: [Message](), bytes: [UInt8]()))
    private let isWanted: Bool
    private let failure: FeedError?
    private let gate: Gate?
    private let laterGate: Gate?
    private let keepsBytes: Bool

    /// Creates a sink.
    ///
    /// It throws `failure` at the first chunk, and passes `gate` with each chunk, and then `laterGate` with each chunk
    /// after the first.
    init(
        isWanted: Bool = true, failure: FeedError? = nil, gate: Gate? = nil, laterGate: Gate? = nil,
        keepsBytes: Bool = true
    ) {
        self.isWanted = isWanted
        self.failure = failure
        self.gate = gate
        self.laterGate = laterGate
        self.keepsBytes = keepsBytes
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        record.withLock { $0.messages.append(.begin(head)) }
        return isWanted
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) {
        record.withLock {
            $0.messages.append(.receive(chunk.count))
            if keepsBytes { $0.bytes += chunk }
        }
        gate?.pass()
        if let laterGate, chunkSizes.count > 1 { laterGate.pass() }
        if let failure { throw failure }
    }

    var messages: [Message] { record.withLock { $0.messages } }
    var bytes: [UInt8] { record.withLock { $0.bytes } }

    /// Compares with one call: `==` compares byte by byte, and takes seconds for a large body in a debug build.
    func received(_ body: [UInt8]) -> Bool {
        let bytes = bytes
        return bytes.count == body.count && memcmp(bytes, body, body.count) == 0
    }

    var chunkSizes: [Int] { messages.compactMap { if case .receive(let size) = $0 { size } else { nil } } }
}

/// A sink that ignores every chunk.
final class NullSink: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { true }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}

func makeClient(
    environment: [String: String] = [:], _ change: (inout NetworkSettings) -> Void = { _ in }
) throws -> any HTTPClient {
    var settings = NetworkSettings(userAgent: "feedsync-test/1")
    // A slow machine must not exceed the timeout for the test's own server.
    settings.idleTimeout = .seconds(900)
    change(&settings)
    return try CurlHTTPClient(settings: settings, environment: environment)
}

/// Makes a client that calls `end` when its thread ends.
func makeClient(atEnd end: @escaping @Sendable () -> Void) throws -> CurlHTTPClient {
    var settings = NetworkSettings(userAgent: "feedsync-test/1")
    settings.idleTimeout = .seconds(900)
    return try CurlHTTPClient(settings: settings, environment: [:], whenEnded: end)
}

extension CurlHTTPClient {
    /// Ends the client while other objects still hold it, as a waiting request does.
    func close() { mailbox.close() }
}

func makeRequest(
    _ url: String, validators: Validators = Validators(), maxBytes: Int64 = 64 << 20
) throws -> HTTPRequest {
    HTTPRequest(url: try ResourceURL(url), validators: validators, maxBytes: maxBytes)
}

/// Returns the client's own settings with the change.
func manner(_ change: (inout NetworkSettings) -> Void) -> RequestManner {
    var network = NetworkSettings(userAgent: "feedsync-test/1")
    change(&network)
    return RequestManner(network: network, retries: 0, maxRedirects: 0, allowsPrivate: true)
}

/// Returns the error of a request that is expected to fail.
func failure(
    of request: HTTPRequest, by client: any HTTPClient, into sink: any BodySink = NullSink()
) async -> FeedError? {
    do throws(FeedError) {
        _ = try await client.get(request, into: sink)
        return nil
    } catch {
        return error
    }
}

/// Returns bytes without a period of a round size, so that a lost or duplicated piece is visible.
func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += period.prefix(count - bytes.count) }
    return bytes
}

private let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
