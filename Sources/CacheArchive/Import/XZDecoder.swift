internal import CLZMA
internal import FeedCore

/// Each block of a stream says how large a dictionary it needs; liblzma looks at that before it reserves anything.
final class XZDecoder: StreamDecoder {
    /// The next larger dictionary has 96 MiB, and what is needed besides is far less than one.
    private static let mostMemory = UInt64(DecodingLimit.window + 1 << 20)

    private let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)
    private(set) var isWhole = false
    /// liblzma goes from one stream to the next, and doesn't say so.
    let mayHaveEnded = true

    init() throws(FeedError) {
        stream.initialize(to: lzma_stream())
        guard lzma_stream_decoder(stream, Self.mostMemory, feedsync_lzma_concatenated) == LZMA_OK else {
            throw .storage(.failed, "out of memory")
        }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> Int {
        if isWhole { return 0 }
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = input.count
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let status = lzma_code(stream, isLast ? LZMA_FINISH : LZMA_RUN)
        input = UnsafeRawBufferPointer(rebasing: input.suffix(stream.pointee.avail_in))
        switch status {
        case LZMA_OK: break
        case LZMA_STREAM_END: isWhole = true
        case LZMA_BUF_ERROR: throw .cutOff
        case LZMA_MEMLIMIT_ERROR: throw .largeWindow
        case LZMA_MEM_ERROR: throw .noMemory
        case LZMA_OPTIONS_ERROR: throw .damaged("it has options that liblzma doesn't know")
        default: throw .damaged("liblzma says \(status.rawValue)")
        }
        return output.count - stream.pointee.avail_out
    }
}
