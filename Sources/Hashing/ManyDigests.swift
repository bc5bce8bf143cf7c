internal import CSHA256Lanes
package import FeedCore

/// The SHA-256 of many messages, hashed side by side: where the processor has no instructions for SHA-256 but wide
/// vectors, sixteen messages take little more time than one.
package enum ManyDigests {
    /// How many messages are hashed at once.
    package enum Width: Int, Sendable {
        case one = 1
        case eight = 8
        case sixteen = 16

        /// What this processor does best.
        package static let best = Width(rawValue: Int(feedsync_sha256_lanes())) ?? .one
    }

    /// With fewer, libcrypto is as quick.
    private static let fewestSideBySide = 4

    /// Answers for each message in order. `read` puts the next bytes of a message into the buffer and says how many; none
    /// at the end. Calls come one after another, yet those for one message in between those for others.
    package static func of(
        _ count: Int, width: Width = .best, read: (Int, UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
    ) -> [Result<Digest, FeedError>] {
        if width == .one || count < fewestSideBySide { return oneByOne(count, read) }
        return DigestLanes(width).hash(count, read)
    }

    private static let chunkBytes = 64 << 10

    private static func oneByOne(
        _ count: Int, _ read: (Int, UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
    ) -> [Result<Digest, FeedError>] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 64)
        defer { buffer.deallocate() }
        return (0..<count).map { message in
            do throws(FeedError) {
                let hash = try SHA256()
                while true {
                    let filled = try read(message, buffer)
                    guard filled > 0 else { return .success(try hash.finish()) }
                    try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
                }
            } catch {
                return .failure(error)
            }
        }
    }
}
