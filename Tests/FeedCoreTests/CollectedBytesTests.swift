import Testing

@testable import FeedCore

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
