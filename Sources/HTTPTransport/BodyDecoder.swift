import CZlib
import FeedCore

/// Takes a body out of its encoding as it comes. libcurl can do so, too, but doesn't tell one that was cut off from a
/// whole one.
///
/// `@unchecked Sendable`: a body is with one thread at a time.
final class BodyDecoder: @unchecked Sendable {
    /// What a sink is given at once.
    private static let pieceBytes = 128 << 10
    /// The largest window; and the header says whether it is one of gzip or of zlib.
    private static let withAnyHeader = MAX_WBITS + 32
    private static let withoutHeader = -MAX_WBITS
    /// Some servers take a header off, and leave the check that belongs to it.
    private static let mostBehindBare = 4

    private let coding: BodyCodings.Coding
    private let limit: Int64
    private let host: String?
    /// At one place for good: zlib remembers where.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: BodyDecoder.pieceBytes)
    private var filled = 0
    private var stage = Stage.unbegun
    private var isBare = false
    private var bytesBehindEnd = 0
    /// Of the decoded body.
    private(set) var bytes: Int64 = 0

    private enum Stage { case unbegun, within, ended }

    /// `limit` is for the decoded body.
    init(_ coding: BodyCodings.Coding, limit: Int64, host: String?) {
        self.coding = coding
        self.limit = limit
        self.host = host
        stream.initialize(to: z_stream())
    }

    deinit {
        if stage != .unbegun { inflateEnd(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    /// `take` is given pieces of one size.
    func decode(_ chunk: [UInt8], _ take: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        if stage == .unbegun { try begin(with: chunk) }
        try chunk.withUnsafeBufferPointer { chunk throws(FeedError) in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: chunk.baseAddress)
            stream.pointee.avail_in = UInt32(chunk.count)
            var holdsMore = false
            while stream.pointee.avail_in > 0 || holdsMore {
                if stage == .ended, try !goOnBehindEnd() { return }
                try inflateSome()
                holdsMore = filled == piece.count && stage == .within
                if filled == piece.count { try take(rest()) }
            }
        }
    }

    /// When all of the body has come: what is left of it.
    func finish() throws(FeedError) -> [UInt8] {
        guard stage != .within else {
            throw FeedError(.connectivity, "the compressed body was cut off", host: host).at(.transferring)
        }
        return rest()
    }

    private func rest() -> [UInt8] {
        defer { filled = 0 }
        return Array(piece[..<filled])
    }

    /// What is called deflate has a header by its standard, and none by many servers.
    private func begin(with chunk: [UInt8]) throws(FeedError) {
        isBare = coding == .deflate && !Self.hasHeader(chunk)
        let window = isBare ? Self.withoutHeader : Self.withAnyHeader
        try check(inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)))
        stage = .within
    }

    /// Of zlib (RFC 1950, section 2.2) or of gzip.
    private static func hasHeader(_ chunk: [UInt8]) -> Bool {
        guard chunk.count >= 2 else { return true }
        let isZlib = chunk[0] & 0x0F == 8 && (Int(chunk[0]) << 8 | Int(chunk[1])) % 31 == 0
        return isZlib || chunk.starts(with: gzipMark)
    }

    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    private func inflateSome() throws(FeedError) {
        stream.pointee.next_out = piece.baseAddress.map { $0 + filled }
        stream.pointee.avail_out = UInt32(piece.count - filled)
        let status = inflate(stream, Z_NO_FLUSH)
        let count = piece.count - filled - Int(stream.pointee.avail_out)
        filled += count
        bytes += Int64(count)
        // This says that there was nothing to be done with what is there.
        if status != Z_BUF_ERROR { try check(status) }
        if status == Z_STREAM_END { stage = .ended }
        guard bytes <= limit else { throw FeedError.larger(than: limit, host: host).at(.transferring) }
    }

    /// False: what is there means nothing. One file of gzip behind another is a file of both (RFC 1952, section 2.2).
    private func goOnBehindEnd() throws(FeedError) -> Bool {
        bytesBehindEnd += Int(stream.pointee.avail_in)
        if isBare, bytesBehindEnd <= Self.mostBehindBare { return false }
        guard coding == .gzip, stream.pointee.next_in.pointee == Self.gzipMark[0] else {
            throw failure("the compressed body goes on behind its end")
        }
        try check(inflateReset(stream))
        stage = .within
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
