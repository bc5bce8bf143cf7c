import FeedCore
import Hashing
import Synchronization
import Testing

@Suite("Hashing in the background")
struct BackgroundHashTests {
    private static func digest(of body: [UInt8]) throws -> Digest {
        let hash = try SHA256()
        try hash.update(body)
        return try hash.finish()
    }

    @Test("judges each body by its digest, large ones and small ones, in whatever pieces they come")
    func digests() throws {
        let lengths = [0, 1, 100, 3 << 20, 70_000, 0, 1 << 20, (1 << 20) + 1, 27_000] + (0..<200).map { $0 * 100 }
        let bodies = lengths.map { length in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ length) } }
        let found = Mutex<[Int: Digest]>([:])
        let hash = BackgroundHash()
        for (index, body) in bodies.enumerated() {
            for start in stride(from: 0, to: body.count, by: 60_000) {
                try hash.append(Array(body[start..<min(start + 60_000, body.count)]))
            }
            try hash.end { digest throws(FeedError) in found.withLock { $0[index] = digest } }
        }
        try hash.finish()
        for (index, body) in bodies.enumerated() {
            #expect(try found.withLock { $0[index] } == Self.digest(of: body))
        }
    }

    @Test("tells of a digest that was found wrong, at the latest in the end", arguments: [10, 2 << 20])
    func judgement(_ length: Int) throws {
        let hash = BackgroundHash()
        try hash.append(Array(repeating: 1, count: length))
        try hash.end { _ throws(FeedError) in throw .invalidData("wrong") }
        #expect(throws: FeedError.invalidData("wrong")) { try hash.finish() }
        #expect(throws: FeedError.invalidData("wrong")) { try hash.append([1]) }
    }
}
