internal import CSHA256Lanes
package import FeedCore

/// The SHA-256 of many messages, hashed side by side. A processor with instructions for SHA-256 hashes two of them nearly
/// as quickly as one; with wide vectors alone, sixteen take little more time than one.
package enum ManyDigests {
    /// How many messages are hashed at once.
    package enum Width: Int, CaseIterable, Sendable {
        case one = 1
        case two = 2
        case eight = 8
        case sixteen = 16

        /// Whether this processor can.
        var isSupported: Bool { feedsync_sha256_can_do(Int32(rawValue)) != 0 }

        /// What this processor does best. Two are as quick as sixteen, and more often there.
        package static let best = [two, sixteen, eight].first(where: \.isSupported) ?? one

        /// With fewer messages, libcrypto is as quick.
        fileprivate var fewestMessages: Int { min(rawValue, 4) }
    }

    /// Answers for each message in order. `read` puts the next bytes of a message into the buffer and says how many; none
    /// at the end. Calls come one after another, yet those for one message in between those for others.
    package static func of(
        _ count: Int, width: Width = .best, read: (Int, UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
    ) -> [Result<Digest, FeedError>] {
        digests(count, width, lending: 32 << 10) { message, lent throws(FeedError) in
            var filled = 0
            while filled < lent.count {
                let count = try read(message, .init(rebasing: lent[filled...]))
                if count == 0 { break }
                filled += count
            }
            return UnsafeRawBufferPointer(rebasing: lent[..<filled])
        }
    }

    /// The same for messages that are in memory as a whole.
    package static func of(
        _ messages: [UnsafeRawBufferPointer], width: Width = .best
    ) -> [Result<Digest, FeedError>] {
        // The longest first, so that in the end no lane is left alone with one.
        let order = messages.indices.sorted { messages[$0].count > messages[$1].count }
        var isRead = Array(repeating: false, count: messages.count)
        let digests = digests(messages.count, width, lending: 0) { place, _ in
            defer { isRead[place] = true }
            return isRead[place] ? UnsafeRawBufferPointer(start: nil, count: 0) : messages[order[place]]
        }
        var inOrder = digests
        for (place, message) in order.enumerated() { inOrder[message] = digests[place] }
        return inOrder
    }

    package static func of(_ messages: [[UInt8]]) -> [Result<Digest, FeedError>] {
        var lent: [UnsafeRawBufferPointer] = []
        return withBytes(of: messages[...], behind: &lent)
    }

    /// The bytes of an array are lent for as long as a closure runs: each message's is run within the one before it.
    private static func withBytes(
        of messages: ArraySlice<[UInt8]>, behind lent: inout [UnsafeRawBufferPointer]
    ) -> [Result<Digest, FeedError>] {
        guard let message = messages.first else { return of(lent) }
        return message.withUnsafeBytes { bytes in
            lent.append(bytes)
            return withBytes(of: messages.dropFirst(), behind: &lent)
        }
    }

    private static func digests(
        _ count: Int, _ width: Width, lending lentBytes: Int, _ next: DigestLanes.Next
    ) -> [Result<Digest, FeedError>] {
        if count == 0 { return [] }
        if width == .one || count < width.fewestMessages { return oneByOne(count, lending: lentBytes, next) }
        var lanes = DigestLanes(width, lending: lentBytes)
        return lanes.hash(count, next)
    }

    private static func oneByOne(
        _ count: Int, lending lentBytes: Int, _ next: DigestLanes.Next
    ) -> [Result<Digest, FeedError>] {
        let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: lentBytes, alignment: 64)
        defer { lent.deallocate() }
        var used: SHA256?
        return (0..<count).map { message in
            do throws(FeedError) {
                let hash: SHA256
                if let used {
                    hash = used
                    try hash.startAnew()
                } else {
                    hash = try SHA256()
                    used = hash
                }
                while case let bytes = try next(message, lent), !bytes.isEmpty { try hash.update(bytes) }
                return .success(try hash.finish())
            } catch {
                return .failure(error)
            }
        }
    }
}
