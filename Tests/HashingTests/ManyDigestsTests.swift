import FeedCore
import TestSupport
import Testing

@testable import Hashing

@Suite("Many digests")
struct ManyDigestsTests {
    /// Those that this processor can do.
    static let widths = ManyDigests.Width.allCases.filter(\.isSupported)

    /// Around the ends of blocks and of chunks, and very different ones beside each other.
    static let lengths = [
        0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 27_000, 32_767, 32_768, 32_769, 65_536, 100_001, 3, 0,
        77,
    ]

    private static func message(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) ^ length) }
    }

    private static func digests(
        of messages: [[UInt8]], _ width: ManyDigests.Width, readingAtMost most: Int = .max
    ) -> [Result<Digest, FeedError>] {
        var rests = messages.map { $0[...] }
        return ManyDigests.of(messages.count, width: width) { message, buffer in
            let bytes = rests[message].prefix(min(most, buffer.count))
            buffer.copyBytes(from: bytes)
            rests[message] = rests[message].dropFirst(bytes.count)
            return bytes.count
        }
    }

    private static func digest(of message: [UInt8]) throws -> Digest {
        let hash = try SHA256()
        try hash.update(message)
        return try hash.finish()
    }

    @Test("each is what libcrypto says, whatever is hashed beside it", arguments: widths)
    func agrees(_ width: ManyDigests.Width) throws {
        let messages = Self.lengths.map(Self.message)
        let digests = try Self.digests(of: messages, width).map { try $0.get() }
        #expect(digests == (try messages.map(Self.digest)))
    }

    @Test("also of messages that are in memory as a whole", arguments: widths, [22, 5, 1])
    func inMemory(_ width: ManyDigests.Width, _ count: Int) throws {
        // Longer than what a message that is read lends at once.
        let messages = ([200_000] + Self.lengths).map(Self.message).prefix(count)
        let length = messages.reduce(0) { $0 + $1.count }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: messages.joined())
        var start = 0
        let places = messages.map { message in
            defer { start += message.count }
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + message.count])
        }
        let digests = try ManyDigests.of(places, width: width).map { try $0.get() }
        #expect(digests == (try messages.map(Self.digest)))
    }

    @Test("however few messages there are", arguments: widths, 0...9)
    func few(_ width: ManyDigests.Width, _ count: Int) throws {
        let messages = (0..<count).map { Self.message(100 * $0) }
        #expect(try Self.digests(of: messages, width).map { try $0.get() } == messages.map(Self.digest))
    }

    @Test("however little is read at a time", arguments: widths)
    func dribbles(_ width: ManyDigests.Width) throws {
        let messages = [10, 200, 0, 64, 3000, 128].map(Self.message)
        let digests = try Self.digests(of: messages, width, readingAtMost: 7).map { try $0.get() }
        #expect(digests == (try messages.map(Self.digest)))
    }

    @Test("a message that can't be read fails alone", arguments: widths)
    func failure(_ width: ManyDigests.Width) throws {
        let messages = (0..<20).map { Self.message(1000 * $0) }
        var rests = messages.map { $0[...] }
        let digests = ManyDigests.of(messages.count, width: width) { message, buffer throws(FeedError) in
            if message == 7, rests[7].count < 5000 { throw .storage(.failed, "bad sector") }
            let bytes = rests[message].prefix(2048)
            buffer.copyBytes(from: bytes)
            rests[message] = rests[message].dropFirst(bytes.count)
            return bytes.count
        }
        for (index, message) in messages.enumerated() where index != 7 {
            #expect(try digests[index].get() == Self.digest(of: message))
        }
        #expect(throws: FeedError.storage(.failed, "bad sector")) { try digests[7].get() }
    }
}
