internal import FeedCore
internal import Hashing

/// A feed as the list of a tree names it: the first 64 bits of the SHA-256 of its URL.
///
/// The URL itself could contain a secret.
struct FeedTag: Hashable {
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ feed: ResourceURL) throws(FeedError) {
        bits = try SHA256.digest(of: feed.text).withBytes { $0.loadUnaligned(as: UInt64.self).bigEndian }
    }
}

/// The purpose of a file in a tree.
enum TreePurpose: Hashable {
    /// The file has the bytes of an image of this feed, and the date of that image.
    case image(of: FeedTag, date: Timestamp)
    /// The file has the metadata of the image whose path it extends.
    case sidecar
}

/// What a tree remembers about its feeds: the numbers of their images, and the files that the user deleted.
///
/// Numbers and deletions stay remembered after an image has left its feed, because the image may return.
struct TreeMemory: Equatable {
    struct FeedMemory: Equatable {
        /// The next number to give.
        var next = 1
        /// The numbers of the images, by the tags of their ids.
        var numbers: [UInt64: Int32] = [:]
        /// The digests of the images whose files the user deleted.
        var deletedImages: Set<Digest> = []
        /// The digests of the images whose sidecars the user deleted.
        var deletedSidecars: Set<Digest> = []
    }

    /// The limit for the numbers of images that are in none of the feeds of a run.
    private static let maxForgotten = 1_000_000

    var feeds: [FeedTag: FeedMemory] = [:]

    /// Returns the number of an image in its feed, and gives it one if it has none.
    mutating func number(ofImage id: String, in feed: FeedTag) -> Int {
        let tag = Self.tag(of: id)
        if let number = feeds[feed]?.numbers[tag] { return Int(number) }
        let number = feeds[feed]?.next ?? 1
        feeds[feed, default: FeedMemory()].numbers[tag] = Int32(clamping: number)
        feeds[feed]?.next = number + 1
        return number
    }

    /// Returns a hash of an id that is the same in every run (FNV-1a).
    ///
    /// A feed whose ids collide on purpose only confuses its own numbers.
    private static func tag(of id: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    /// Forgets the feeds outside of `used` if they have very many numbers.
    mutating func trim(keeping used: Set<FeedTag>) {
        let others = feeds.filter { !used.contains($0.key) }
        guard others.reduce(0, { $0 + $1.value.numbers.count }) > Self.maxForgotten else { return }
        for feed in others.keys { feeds[feed] = nil }
    }
}
