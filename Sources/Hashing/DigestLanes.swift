internal import CSHA256Lanes
internal import FeedCore

/// Messages on lanes: each lane hashes one, and takes the next when that has ended.
struct DigestLanes: ~Copyable {
    /// The next bytes of a message: in the memory that is lent, or anywhere else where they stay until the ones after
    /// them are asked for. None, or a number that doesn't fill its last block, are the end.
    typealias Next = (_ message: Int, _ lent: UnsafeMutableRawBufferPointer) throws(FeedError) -> UnsafeRawBufferPointer
    private typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

    private static let blockBytes = 64
    /// The padding makes at most two blocks of what doesn't fill one.
    private static let endBytes = 2 * blockBytes
    /// FIPS 180-4, section 5.3.3.
    private static let start: Words = (
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )

    private struct Lane {
        let lent: UnsafeMutableRawBufferPointer
        let end: UnsafeMutableRawBufferPointer
        /// Nil when there are no more messages for it.
        var message: Int?
        var length: UInt64 = 0
        /// What is known and not hashed.
        var next: UnsafeRawPointer?
        var blocks = 0
        /// What follows that in `end`; nil while the end is not known.
        var blocksAtEnd: Int?
    }

    private let width: ManyDigests.Width
    private let memory: UnsafeMutableRawBufferPointer
    private let states: UnsafeMutablePointer<Words>
    /// Looked at again and again: an array would check each access.
    private let lanes: UnsafeMutableBufferPointer<Lane>
    private var blocksOfLanes: [UnsafePointer<UInt8>?]
    private var messages = 0..<0
    private var digests: [Result<Digest, FeedError>?] = []

    /// Each message is lent so many bytes.
    init(_ width: ManyDigests.Width, lending lentBytes: Int) {
        self.width = width
        let laneBytes = lentBytes + Self.endBytes
        memory = .allocate(byteCount: width.rawValue * laneBytes, alignment: 64)
        blocksOfLanes = Array(repeating: nil, count: width.rawValue)
        states = .allocate(capacity: width.rawValue)
        states.initialize(repeating: Self.start, count: width.rawValue)
        lanes = .allocate(capacity: width.rawValue)
        for lane in lanes.indices {
            let bytes = memory[lane * laneBytes..<(lane + 1) * laneBytes]
            lanes.initializeElement(
                at: lane,
                to: Lane(
                    lent: .init(rebasing: bytes.prefix(lentBytes)), end: .init(rebasing: bytes.dropFirst(lentBytes))))
        }
    }

    deinit {
        lanes.deallocate()
        states.deallocate()
        memory.deallocate()
    }

    mutating func hash(_ count: Int, _ next: Next) -> [Result<Digest, FeedError>] {
        messages = 0..<count
        digests = Array(repeating: nil, count: count)
        for lane in lanes.indices { takeNext(lane) }
        while true {
            var blocks = Int.max
            for lane in lanes.indices where lanes[lane].message != nil {
                if lanes[lane].blocks == 0 { fill(lane, next) }
                if lanes[lane].message != nil { blocks = min(blocks, lanes[lane].blocks) }
            }
            // No lane has a message any more.
            if blocks == .max { break }
            compress(blocks)
        }
        return digests.map { $0 ?? .failure(.storage(.failed, "SHA-256: a message was left out")) }
    }

    private mutating func takeNext(_ lane: Int) {
        lanes[lane].message = messages.popFirst()
        lanes[lane].length = 0
        lanes[lane].blocks = 0
        lanes[lane].blocksAtEnd = nil
        states[lane] = Self.start
    }

    /// Sees to it that the lane has something to hash, if there is anything left for it.
    private mutating func fill(_ lane: Int, _ next: Next) {
        while let message = lanes[lane].message, lanes[lane].blocks == 0 {
            switch lanes[lane].blocksAtEnd {
            case 0:
                digests[message] = digest(lane)
                takeNext(lane)
            case let blocks?:
                lanes[lane].next = UnsafeRawPointer(lanes[lane].end.baseAddress)
                lanes[lane].blocks = blocks
                lanes[lane].blocksAtEnd = 0
            case nil:
                do throws(FeedError) {
                    take(lane, try next(message, lanes[lane].lent))
                } catch {
                    digests[message] = .failure(error)
                    takeNext(lane)
                }
            }
        }
    }

    private mutating func take(_ lane: Int, _ bytes: UnsafeRawBufferPointer) {
        lanes[lane].length += UInt64(bytes.count)
        lanes[lane].next = bytes.baseAddress
        lanes[lane].blocks = bytes.count / Self.blockBytes
        let rest = bytes.suffix(bytes.count % Self.blockBytes)
        if bytes.isEmpty || !rest.isEmpty { lanes[lane].blocksAtEnd = pad(lane, rest) }
    }

    /// Behind the rest a one, zeros, and the length in bits, so that the last block is full (FIPS 180-4, section 5.1.1).
    /// Answers how many blocks that makes.
    private func pad(_ lane: Int, _ rest: Slice<UnsafeRawBufferPointer>) -> Int {
        let end = lanes[lane].end
        let blocks = (rest.count + 9 + Self.blockBytes - 1) / Self.blockBytes
        end.copyBytes(from: rest)
        end[rest.count] = 0x80
        end[rest.count + 1..<blocks * Self.blockBytes - 8].initializeMemory(as: UInt8.self, repeating: 0)
        end.storeBytes(
            of: (lanes[lane].length * 8).bigEndian, toByteOffset: blocks * Self.blockBytes - 8, as: UInt64.self)
        return blocks
    }

    private mutating func compress(_ blocks: Int) {
        // A lane without a message hashes what another does; nobody asks for its state.
        let any = lanes.first { $0.message != nil }?.next
        for (index, lane) in lanes.enumerated() {
            let next = lane.message == nil ? any : lane.next
            blocksOfLanes[index] = next.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
        }
        feedsync_sha256_compress(Int32(width.rawValue), states, blocksOfLanes, blocks)
        for lane in lanes.indices where lanes[lane].message != nil {
            lanes[lane].blocks -= blocks
            lanes[lane].next = lanes[lane].next.map { $0 + blocks * Self.blockBytes }
        }
    }

    private func digest(_ lane: Int) -> Result<Digest, FeedError> {
        let words = states[lane]
        let bigEndian = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian, words.4.bigEndian,
            words.5.bigEndian, words.6.bigEndian, words.7.bigEndian
        )
        guard let digest = withUnsafeBytes(of: bigEndian, { Digest(bytes: $0) }) else {
            return .failure(.storage(.failed, "SHA-256: no digest"))
        }
        return .success(digest)
    }
}
