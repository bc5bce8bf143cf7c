import CZlib
import FeedCore

/// Decompresses a body while it arrives.
///
/// libcurl can decompress, too, but accepts a body that was cut off.
///
/// `@unchecked Sendable`: only one thread at a time uses a body's decoder.
final class BodyDecoder: @unchecked Sendable {
    /// The size of the pieces that the sink receives.
    private static let pieceBytes = 128 << 10
    /// The largest window, with a header that shows whether the format is gzip or zlib.
    private static let withAnyHeader = MAX_WBITS + 32
    private static let withoutHeader = -MAX_WBITS
    /// The bytes that may follow a stream without a header: some servers remove the header and leave its checksum.
    private static let longestChecksum = 4

    private let coding: BodyCodings.Coding
    private let limit: Int64
    private let host: String?
    /// The zlib stream, at a fixed address because zlib stores the address.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: BodyDecoder.pieceBytes)
    private var filled = 0
    private var state = State.unbegun
    private var lacksHeader = false
    private var bytesAfterEnd = 0
    /// The size of the decoded body so far.
    private(set) var bytes: Int64 = 0

    private enum State { case unbegun, within, ended }

    /// Creates a decoder.
    ///
    /// `limit` is the largest size of the decoded body.
    init(_ coding: BodyCodings.Coding, limit: Int64, host: String?) {
        self.coding = coding
        self.limit = limit
        self.host = host
        stream.initialize(to: z_stream())
    }

    deinit {
        if state != .unbegun { inflateEnd(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    /// Decodes a chunk, and passes it on in pieces of equal size.
    func decode(_ chunk: [UInt8], _ take: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        if state == .unbegun { try begin(with: chunk) }
        try chunk.withUnsafeBufferPointer { chunk throws(FeedError) in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: chunk.baseAddress)
            stream.pointee.avail_in = UInt32(chunk.count)
            var holdsMore = false
            while stream.pointee.avail_in > 0 || holdsMore {
                if state == .ended, try !beginNextMember() { return }
                try inflatePiece()
                holdsMore = filled == piece.count && state == .within
                if filled == piece.count { try take(rest()) }
            }
        }
    }

    /// Returns the rest of the decoded body, after its last chunk.
    func finish() throws(FeedError) -> [UInt8] {
        guard state != .within else {
            throw FeedError(.connectivity, "the compressed body was cut off", host: host).at(.transferring)
        }
        return rest()
    }

    private func rest() -> [UInt8] {
        defer { filled = 0 }
        return Array(piece[..<filled])
    }

    /// Starts zlib.
    ///
    /// The standard gives deflate a header, which many servers omit.
    private func begin(with chunk: [UInt8]) throws(FeedError) {
        lacksHeader = coding == .deflate && !Self.hasHeader(chunk)
        let window = lacksHeader ? Self.withoutHeader : Self.withAnyHeader
        try check(inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)))
        state = .within
    }

    /// Returns whether the chunk begins with a header of zlib (RFC 1950, section 2.2) or gzip.
    private static func hasHeader(_ chunk: [UInt8]) -> Bool {
        guard chunk.count >= 2 else { return true }
        let isZlib = chunk[0] & 0x0F == 8 && (Int(chunk[0]) << 8 | Int(chunk[1])) % 31 == 0
        return isZlib || chunk.starts(with: gzipMark)
    }

    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    private func inflatePiece() throws(FeedError) {
        stream.pointee.next_out = piece.baseAddress.map { $0 + filled }
        stream.pointee.avail_out = UInt32(piece.count - filled)
        let status = inflate(stream, Z_NO_FLUSH)
        let count = piece.count - filled - Int(stream.pointee.avail_out)
        filled += count
        bytes += Int64(count)
        // Z_BUF_ERROR only means that zlib needs more input.
        if status != Z_BUF_ERROR { try check(status) }
        if status == Z_STREAM_END { state = .ended }
        guard bytes <= limit else { throw FeedError.larger(than: limit, host: host).at(.transferring) }
    }

    /// Returns whether a further gzip member follows (RFC 1952, section 2.2).
    ///
    /// It returns false for the checksum that may follow a stream without a header.
    private func beginNextMember() throws(FeedError) -> Bool {
        bytesAfterEnd += Int(stream.pointee.avail_in)
        if lacksHeader, bytesAfterEnd <= Self.longestChecksum { return false }
        guard coding == .gzip, stream.pointee.next_in.pointee == Self.gzipMark[0] else {
            throw failure("the compressed body goes on behind its end")
        }
        try check(inflateReset(stream))
        state = .within
        return true
    }

    private func check(_ status: Int32) throws(FeedError) {
        switch status {
        case Z_OK, Z_STREAM_END: return
        case Z_MEM_ERROR: throw .connectivity("zlib: out of memory")
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib says \(status)"
            throw failure("the compressed body is damaged: \(reason)")
        }
    }

    private func failure(_ message: String) -> FeedError {
        FeedError(.invalidData, message, host: host).at(.transferring)
    }
}
