internal import CSHA256Lanes
internal import FeedCore

/// Messages on lanes: each lane hashes one, and takes the next when that has ended.
final class DigestLanes {
    typealias Read = (_ message: Int, _ buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
    private typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

    private static let blockBytes = 64
    private static let chunkBytes = 32 << 10
    /// A chunk and the padding that follows the last one.
    private static let laneBytes = chunkBytes + 2 * blockBytes
    /// FIPS 180-4, section 5.3.3.
    private static let start: Words = (
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )

    private struct Lane {
        let bytes: UnsafeMutableRawBufferPointer
        /// Nil when there are no more messages for it.
        var message: Int?
        var length: UInt64 = 0
        /// Blocks that are read and not hashed.
        var ready: Range<Int> = 0..<0
        /// The message's end is among what is ready, or before it.
        var isPadded = false
    }

    private let width: ManyDigests.Width
    private let memory: UnsafeMutableRawBufferPointer
    private let states: UnsafeMutablePointer<Words>
    private var lanes: [Lane]
    private var blocksOfLanes: [UnsafePointer<UInt8>?]
    private var messages = 0..<0
    private var digests: [Result<Digest, FeedError>?] = []

    init(_ width: ManyDigests.Width) {
        self.width = width
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: width.rawValue * Self.laneBytes, alignment: 64)
        self.memory = memory
        blocksOfLanes = Array(repeating: nil, count: width.rawValue)
        states = .allocate(capacity: width.rawValue)
        states.initialize(repeating: Self.start, count: width.rawValue)
        lanes = (0..<width.rawValue).map { lane in
            Lane(bytes: .init(rebasing: memory[lane * Self.laneBytes..<(lane + 1) * Self.laneBytes]))
        }
    }

    deinit {
        states.deallocate()
        memory.deallocate()
    }

    func hash(_ count: Int, _ read: Read) -> [Result<Digest, FeedError>] {
        messages = 0..<count
        digests = Array(repeating: nil, count: count)
        for lane in lanes.indices { takeNext(lane) }
        while true {
            var blocks = Int.max
            for lane in lanes.indices {
                fill(lane, read)
                if lanes[lane].message != nil { blocks = min(blocks, lanes[lane].ready.count) }
            }
            // No lane has a message any more.
            if blocks == .max { break }
            compress(blocks)
        }
        return digests.map { $0 ?? .failure(.storage(.failed, "SHA-256: a message was left out")) }
    }

    private func takeNext(_ lane: Int) {
        lanes[lane].message = messages.popFirst()
        lanes[lane].length = 0
        lanes[lane].ready = 0..<0
        lanes[lane].isPadded = false
        states[lane] = Self.start
    }

    /// Sees to it that the lane has something to hash, if there is anything left for it.
    private func fill(_ lane: Int, _ read: Read) {
        while let message = lanes[lane].message, lanes[lane].ready.isEmpty {
            if lanes[lane].isPadded {
                digests[message] = digest(lane)
                takeNext(lane)
                continue
            }
            do throws(FeedError) {
                try readOn(lane, message, read)
            } catch {
                digests[message] = .failure(error)
                takeNext(lane)
            }
        }
    }

    private func readOn(_ lane: Int, _ message: Int, _ read: Read) throws(FeedError) {
        let bytes = lanes[lane].bytes
        var filled = 0
        while filled < Self.chunkBytes {
            let count = try read(message, .init(rebasing: bytes[filled..<Self.chunkBytes]))
            filled += count
            if count == 0 {
                lanes[lane].isPadded = true
                break
            }
        }
        lanes[lane].length += UInt64(filled)
        if lanes[lane].isPadded { filled = pad(lane, from: filled) }
        lanes[lane].ready = 0..<filled / Self.blockBytes
    }

    /// A one, zeros, and the length in bits, so that the last block is full (FIPS 180-4, section 5.1.1).
    private func pad(_ lane: Int, from end: Int) -> Int {
        let bytes = lanes[lane].bytes
        let padded = (end + 9 + Self.blockBytes - 1) / Self.blockBytes * Self.blockBytes
        bytes[end] = 0x80
        bytes[end + 1..<padded - 8].initializeMemory(as: UInt8.self, repeating: 0)
        bytes.storeBytes(of: (lanes[lane].length * 8).bigEndian, toByteOffset: padded - 8, as: UInt64.self)
        return padded
    }

    private func compress(_ blocks: Int) {
        // A lane without a message hashes what is anywhere; nobody asks for its state.
        for (index, lane) in lanes.enumerated() {
            let next = lane.bytes.baseAddress.map { $0 + lane.ready.lowerBound * Self.blockBytes }
            blocksOfLanes[index] = next.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
        }
        feedsync_sha256_compress(Int32(width.rawValue), states, blocksOfLanes, blocks)
        for lane in lanes.indices where lanes[lane].message != nil {
            lanes[lane].ready = lanes[lane].ready.dropFirst(blocks)
        }
    }

    private func digest(_ lane: Int) -> Result<Digest, FeedError> {
        var words = states[lane]
        let bytes = withUnsafeBytes(of: &words) { words in
            stride(from: 0, to: Digest.byteCount, by: 4).flatMap { index in
                withUnsafeBytes(of: words.loadUnaligned(fromByteOffset: index, as: UInt32.self).bigEndian, Array.init)
            }
        }
        guard let digest = Digest(bytes: bytes) else { return .failure(.storage(.failed, "SHA-256: no digest")) }
        return .success(digest)
    }
}
