internal import FeedCore
internal import Hashing
internal import SystemFiles

extension Descriptor {
    /// Of each file, from its first byte, wherever it was last read or written.
    static func digests(of files: [Descriptor]) -> [Result<Digest, SystemError>] {
        var offsets = Array(repeating: 0, count: files.count)
        var failures: [Int: SystemError] = [:]
        let digests = ManyDigests.of(files.count) { index, buffer throws(FeedError) in
            do throws(SystemError) {
                let count = try files[index].read(into: buffer, at: offsets[index])
                offsets[index] += count
                return count
            } catch {
                failures[index] = error
                throw error.feedError(.failed)
            }
        }
        return digests.enumerated().map { index, digest in
            digest.mapError { failures[index] ?? SystemError(0, $0.message, files[index].path) }
        }
    }
}
