import FeedCore
import Hashing
import Synchronization
import TestSupport
import Testing

@Suite("Hashing in the background")
struct BackgroundHashTests {
    @Test("gives each body its digest, however it is cut and whatever else is hashed")
    func bodies() throws {
        let hash = BackgroundHash()
        let found = Mutex<[Int: Digest]>([:])
        var expected: [Int: Digest] = [:]
        for number in 0..<300 {
            let body = (0..<number * 97).map { UInt8(truncatingIfNeeded: $0 &* number) }
            expected[number] = InMemoryImageStore.digest(of: body)
            for start in stride(from: 0, to: body.count, by: 1000) {
                try hash.append(Array(body[start..<min(start + 1000, body.count)]))
            }
            try hash.end { digest in found.withLock { $0[number] = digest } }
        }
        try hash.finish()
        #expect(found.withLock { $0 } == expected)
    }

    @Test("tells of the first body that is judged wrong, and takes no more")
    func failure() throws {
        let hash = BackgroundHash()
        try hash.append([1, 2, 3])
        try hash.end { _ throws(FeedError) in throw .invalidData("wrong") }
        #expect(throws: FeedError.invalidData("wrong")) { try hash.finish() }
        #expect(throws: FeedError.invalidData("wrong")) { try hash.append([1]) }
    }
}
