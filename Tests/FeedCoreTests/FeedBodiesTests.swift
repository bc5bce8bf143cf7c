import TestDoubles
import TestSupport
import Testing

@testable import FeedCore

/// The memory that the bodies of all feeds share.
@Suite struct FeedBodiesTests {
    private let held = MemoryShare(total: 100)
    private let read = MemoryShare(total: 50)
    private let bodies: FeedBodies
    /// Each body has as many chunks of ten bytes as the last digit of its URL says.
    private let client = ScriptedHTTPClient { request in
        var answer = ScriptedHTTPClient.Answer.ok([])
        answer.body = Array(
            repeating: Array(repeating: 7, count: 10), count: request.url.text.last?.wholeNumberValue ?? 0)
        return answer
    }

    init() { bodies = FeedBodies(held: held, read: read) }

    private func get(_ name: String, atMost maxBytes: Int64 = 1000) async throws(FeedError) -> CollectedBytes {
        let request = HTTPRequest(url: .known("https://feeds.example/\(name)"), maxBytes: maxBytes)
        return try await bodies.get(request, from: client).1
    }

    private func waits(_ share: MemoryShare, for count: Int = 1) async {
        while share.waitingCount != count { await Task.yield() }
    }

    private var names: [Substring] { client.requests.map { $0.url.text.dropFirst("https://feeds.example/".count) } }

    @Test("bodies that fit are received at the same time")
    func fitting() async throws {
        let all = [try await get("a5"), try await get("b5")]
        #expect(all.map(\.count) == [50, 50])
        #expect(held.takenCount == 100)
        for body in all { #expect(try await bodies.reading(body) { $0.count } == 50) }
        #expect(held.takenCount == 0)
        #expect(all.map(\.count) == [0, 0])
    }

    @Test("a body that finds no memory left is requested again when the other was read")
    func waiting() async throws {
        let first = try await get("a6")
        let second = Task { try await get("b6") }
        await waits(held)
        #expect(names == ["a6", "b6"])
        #expect(held.takenCount == 60)
        _ = try await bodies.reading(first) { $0.count }
        #expect(try await second.value.count == 60)
        #expect(names == ["a6", "b6", "b6"])
    }

    @Test("a body that was requested again has memory for all that it may become, and so never gives way again")
    func claim() async throws {
        let first = try await get("a6")
        let second = Task { try await get("b6", atMost: 80) }
        await waits(held)
        first.discard()
        let body = try await second.value
        #expect(held.takenCount == 80)
        let third = Task { try await get("c3") }
        await waits(held)
        #expect(names == ["a6", "b6", "b6", "c3"])
        body.discard()
        #expect(try await third.value.count == 30)
    }

    @Test("a body that is the only one may be larger than all together")
    func alone() async throws {
        let body = try await get("a")
        #expect(body.count == 0)
        let large = CollectedBytes(within: held)
        for _ in 0..<30 { try large.receive(Array(repeating: 7, count: 10)) }
        #expect(large.count == 300)
        let other = Task { try await get("b1") }
        await waits(held)
        large.discard()
        #expect(try await other.value.count == 10)
    }

    @Test("a body that is cancelled while it waits leaves the others their turns")
    func cancelled() async throws {
        let first = try await get("a6")
        let second = Task { try await get("b9") }
        await waits(held)
        let third = Task { try await get("c9", atMost: 40) }
        await waits(held, for: 2)
        second.cancel()
        let error = await #expect(throws: FeedError.self) { try await second.value }
        #expect(error?.isCancellation == true)
        #expect(try await third.value.count == 90)
        withExtendedLifetime(first) {}
    }

    @Test("a failure of the server is no reason to wait")
    func failure() async throws {
        let failing = ScriptedHTTPClient { _ in .failure(.connectivity("refused")) }
        let request = HTTPRequest(url: .known("https://feeds.example/"), maxBytes: 10)
        let error = await #expect(throws: FeedError.self) { try await bodies.get(request, from: failing).1 }
        #expect(error?.kind == .connectivity)
        #expect(failing.requests.count == 1)
    }

    @Test("large bodies are read one after the other, in the order in which they came")
    func turns() async throws {
        let turn = try await read.take(60)
        #expect(turn == 50)
        let body = try await get("a3")
        let reading = Task { try await bodies.reading(body) { $0.count } }
        await waits(read)
        let small = Task { try await read.take(1) }
        await waits(read, for: 2)
        read.give(turn)
        #expect(try await reading.value == 30)
        #expect(try await small.value == 1)
    }
}

@Suite("A body that is collected")
struct CollectedBytesTests {
    @Test(
        "is what came, whatever length was announced",
        arguments: [nil, "", "-9223372036854775808", "0", "1", "300", "9223372036854775807", "99999999999999999999"])
    func announced(_ length: String?) throws {
        let collected = CollectedBytes()
        var head = HTTPHead(status: 200)
        head[.contentLength] = length
        #expect(try collected.begin(head))
        for byte in UInt8(0)..<3 { try collected.receive([UInt8](repeating: byte, count: 100)) }
        #expect(collected.bytes == (0..<3).flatMap { [UInt8](repeating: $0, count: 100) })
    }

    @Test("begins anew with each answer, and is handed over once")
    func beginning() throws {
        let collected = CollectedBytes()
        _ = try collected.begin(HTTPHead(status: 200))
        try collected.receive([1, 2])
        #expect(try !collected.begin(HTTPHead(status: 404)))
        #expect(collected.bytes.isEmpty)
        _ = try collected.begin(HTTPHead(status: 200))
        try collected.receive([3])
        #expect(collected.take() == [3])
        #expect(collected.take().isEmpty)
    }
}
