internal import CZlib
internal import FeedCore

/// The largest window of gzip is 32 KiB.
final class GzipDecoder: StreamDecoder {
    private static let largestWindow = MAX_WBITS
    private static let withHeaderOfGzip: Int32 = 16

    /// At one place for good: zlib remembers where.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private(set) var isWhole = false
    private(set) var mayHaveEnded = false

    init() throws(FeedError) {
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, Self.largestWindow + Self.withHeaderOfGzip, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .storage(.failed, "out of memory") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> Int {
        if isWhole {
            guard let first = input.first else { return 0 }
            // One file of gzip behind another is a file of both (RFC 1952, section 2.2).
            guard first == 0x1F, inflateReset(stream) == Z_OK else { throw .dataAfterEnd }
            isWhole = false
        }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
        switch status {
        // Z_BUF_ERROR says that zlib needs more input, or more room.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: (isWhole, mayHaveEnded) = (true, true)
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib says \(status)")
        }
        return output.count - Int(stream.pointee.avail_out)
    }
}
