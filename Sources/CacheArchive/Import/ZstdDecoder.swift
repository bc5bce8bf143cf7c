internal import CZstd
internal import FeedCore

/// libzstd holds every frame to a largest window but those of before its version 1, which are refused.
final class ZstdDecoder: StreamDecoder {
    private static let markLength = Compression.zstdMark.count

    private let stream: OpaquePointer
    /// What the frame that begins has of its mark; empty within a frame.
    private var mark: [UInt8] = []
    private var isBetweenFrames = true
    private(set) var mayHaveEnded = false

    var isWhole: Bool { isBetweenFrames && mark.isEmpty }

    init() throws(FeedError) {
        guard let stream = ZSTD_createDStream() else { throw .storage(.failed, "out of memory") }
        self.stream = stream
        let log = Int32(DecodingLimit.window.trailingZeroBitCount)
        guard ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, log)) == 0 else {
            throw .storage(.failed, "libzstd can't be told how much memory it may take")
        }
    }

    deinit { ZSTD_freeDStream(stream) }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> Int {
        if isBetweenFrames {
            let more = input.prefix(Self.markLength - mark.count)
            mark += more
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst(more.count))
            guard mark.count == Self.markLength else { return 0 }
            guard mark == Compression.zstdMark || Self.isSkipped(mark) else { throw .dataAfterEnd }
            isBetweenFrames = false
            try check(
                mark.withUnsafeBytes { bytes in
                    var bytes = bytes
                    return step(&bytes, output).status
                })
            mark = []
        }
        let (status, count) = step(&input, output)
        try check(status)
        if status == 0 { (isBetweenFrames, mayHaveEnded) = (true, true) }
        return count
    }

    /// A frame with nothing of the archive in it.
    private static func isSkipped(_ mark: [UInt8]) -> Bool {
        mark[0] & 0xF0 == 0x50 && mark.dropFirst().elementsEqual([0x2A, 0x4D, 0x18])
    }

    private func step(
        _ input: inout UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> (status: Int, count: Int) {
        var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = ZSTD_decompressStream(stream, &to, &from)
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(from.pos))
        return (status, to.pos)
    }

    private func check(_ status: Int) throws(DecodingFailure) {
        guard ZSTD_isError(status) != 0 else { return }
        switch ZSTD_getErrorCode(status) {
        case ZSTD_error_frameParameter_windowTooLarge: throw .largeWindow
        case ZSTD_error_memory_allocation: throw .noMemory
        default: throw .damaged(String(cString: ZSTD_getErrorName(status)))
        }
    }
}
