import FeedCore
import Hashing

/// One of the parts that the machines of a cluster do.
///
/// The part of a text is the first four bytes of its SHA-256 as a number, modulo the number of parts. This is the same
/// in every version, because a cache continues with the part that it holds.
struct Shard: Hashable, Sendable, CustomStringConvertible {
    enum Unit: String, CaseIterable, Sendable { case host, image }

    static let none = Shard(part: 0, count: 1)

    let part: Int
    let count: Int

    init(part: Int, count: Int) {
        self.part = part
        self.count = count
    }

    /// Parses `I/N`, with I counted from 0.
    init?(_ text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map(DecimalDigits.number)
        guard numbers.count == 2, let part = numbers[0], let count = numbers[1], (1...Self.mostParts).contains(count),
            part < count
        else { return nil }
        self.init(part: Int(part), count: Int(count))
    }

    var description: String { "\(part)/\(count)" }

    private static let mostParts: Int64 = 1_000_000

    /// Returns whether the feed belongs to the part.
    ///
    /// All feeds of a host, on any port, belong to one part, so that one machine requests the host. A file has no host
    /// and counts by its own URL.
    func has(feed: ResourceURL) throws(FeedError) -> Bool { try has(feed.host?.lowercased() ?? feed.text) }

    func has(image: ResourceURL) throws(FeedError) -> Bool { try has(image.text) }

    private func has(_ text: String) throws(FeedError) -> Bool {
        guard count > 1 else { return true }
        let number = try SHA256.digest(of: text).withBytes {
            Int($0.loadUnaligned(as: UInt32.self).byteSwapped)
        }
        return number % count == part
    }

    /// Returns the share of a limit, rounded up.
    func share<Limit: BinaryInteger>(of limit: Limit) -> Limit { (limit - 1) / Limit(count) + 1 }
}
