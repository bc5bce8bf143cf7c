internal import FeedCore
internal import Hashing

extension ManyDigests {
    /// Of bytes that stand somewhere: `read` puts those from an offset on into the buffer and says how many; none at the
    /// end.
    static func of(
        _ count: Int,
        reading read: (_ index: Int, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws(SystemError) -> Int
    ) -> [Result<Digest, SystemError>] {
        var offsets = Array(repeating: 0, count: count)
        var failures: [Int: SystemError] = [:]
        let digests = of(count) { index, buffer throws(FeedError) in
            do throws(SystemError) {
                let count = try read(index, buffer, offsets[index])
                offsets[index] += count
                return count
            } catch {
                failures[index] = error
                throw error.feedError(.failed)
            }
        }
        return digests.enumerated().map { index, digest in
            digest.mapError { failures[index] ?? SystemError(code: 0, $0.message) }
        }
    }
}

extension Descriptor {
    /// Of each file, from its first byte, wherever it was last read or written.
    static func digests(of files: [Descriptor]) -> [Result<Digest, SystemError>] {
        ManyDigests.of(files.count) { index, buffer, offset throws(SystemError) in
            try files[index].read(into: buffer, at: offset)
        }
    }
}
