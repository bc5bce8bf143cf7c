internal import FeedCore
internal import Hashing
internal import SystemFiles

extension Descriptor {
    private static let bufferBytes = 128 << 10

    /// The digest of the whole file, wherever it was last read or written. A failure is the file's own.
    func digest() throws(FeedError) -> Result<Digest, SystemError> {
        let hash = try SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 64)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count: Int
            do { count = try read(into: buffer, at: offset) } catch { return .failure(error) }
            guard count > 0 else { return .success(try hash.finish()) }
            try hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }
}
