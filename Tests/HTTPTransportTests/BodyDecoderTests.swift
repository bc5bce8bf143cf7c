import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Decoding of a body", .timeLimit(.minutes(10)))
struct BodyDecoderTests {
    enum Format: CaseIterable { case gzip, zlib, bare }

    /// Returns bytes that cannot be compressed, which zlib stores in blocks of 64 KB.
    private static func plain(_ size: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 7)
        return (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Returns the bytes compressed as gzip compresses them, with the header of the given format.
    private static func packed(_ plain: [UInt8], as format: Format) async throws -> [UInt8] {
        let packed = try await Subprocess.gzip(plain)
        let bare = Array(packed[10..<packed.count - 8])
        switch format {
        case .gzip: return packed
        case .bare: return bare
        case .zlib:
            let (a, b) = plain.reduce((1 as UInt32, 0 as UInt32)) { sums, byte in
                let a = (sums.0 + UInt32(byte)) % 65521
                return (a, (sums.1 + a) % 65521)
            }
            return [0x78, 0x9C] + bare + [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
        }
    }

    private static func decode(
        _ body: [UInt8], as format: Format = .gzip, inPiecesOf size: Int = .max, limit: Int64 = 1 << 30
    ) throws(FeedError) -> (plain: [UInt8], pieces: [Int]) {
        let decoder = BodyDecoder(format == .gzip ? .gzip : .deflate, limit: limit, host: "h")
        var (plain, pieces) = ([UInt8](), [Int]())
        var left = body[...]
        while !left.isEmpty {
            try decoder.decode(Array(left.prefix(size))) { piece in
                plain += piece
                pieces.append(piece.count)
            }
            left = left.dropFirst(size)
        }
        plain += try decoder.finish()
        #expect(decoder.bytes == plain.count)
        return (plain, pieces)
    }

    @Test(
        "a compressed body is decoded, however it is cut into pieces", arguments: Format.allCases, [2, 3, 1000, .max])
    func pieces(format: Format, size: Int) async throws {
        let plain = Self.plain(300_000)
        let decoded = try Self.decode(try await Self.packed(plain, as: format), as: format, inPiecesOf: size)
        #expect(decoded.plain == plain)
        #expect(decoded.pieces == [128 << 10, 128 << 10])
    }

    @Test("a compressed body that is cut off at any byte is an error", arguments: Format.allCases)
    func cutOff(format: Format) async throws {
        let packed = try await Self.packed(Array("a body of a few words, of words".utf8), as: format)
        for count in 1..<packed.count {
            let error = #expect(throws: FeedError.self) { try Self.decode(Array(packed.prefix(count)), as: format) }
            #expect(error?.message == "the compressed body was cut off", "\(count) bytes")
            #expect(error?.kind == .connectivity)
        }
        #expect(try Self.decode([], as: format).plain == [])
    }

    @Test("concatenated gzip members are decoded", arguments: [2, .max])
    func members(size: Int) async throws {
        let (one, other) = (Self.plain(1000), Self.plain(200_000))
        let body = try await Subprocess.gzip(one) + Subprocess.gzip([]) + Subprocess.gzip(other)
        #expect(try Self.decode(body, inPiecesOf: size).plain == one + other)
        let cut = try await Subprocess.gzip(one) + Subprocess.gzip(other).prefix(12)
        #expect(throws: FeedError.self) { try Self.decode(cut, inPiecesOf: size) }
    }

    @Test("a compressed body with other bytes behind its end is refused", arguments: Format.allCases, [2, .max])
    func behindEnd(format: Format, size: Int) async throws {
        let packed = try await Self.packed([1, 2, 3], as: format)
        for more: [UInt8] in [[0, 1, 2, 3, 4], [0x0D, 0x0A, 0x0D, 0x0A, 0x0D, 0x0A]] {
            let error = #expect(throws: FeedError.self) {
                try Self.decode(packed + more, as: format, inPiecesOf: size)
            }
            #expect(error?.message == "the compressed body goes on behind its end")
            #expect(error?.kind == .invalidData)
        }
    }

    /// The checksum remains of the header that was removed.
    @Test("a deflate body without its header may be followed by its checksum", arguments: 1...4, [2, .max])
    func behindBare(count: Int, size: Int) async throws {
        let packed = try await Self.packed([1, 2, 3], as: .bare) + [UInt8](repeating: 7, count: count)
        #expect(try Self.decode(packed, as: .bare, inPiecesOf: size).plain == [1, 2, 3])
    }

    @Test("a compressed body with a wrong checksum is refused", arguments: [Format.gzip, .zlib])
    func check(format: Format) async throws {
        var packed = try await Self.packed(Self.plain(1000), as: format)
        packed[500] ^= 1
        let error = #expect(throws: FeedError.self) { try Self.decode(packed, as: format) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasPrefix("the compressed body is damaged: ") == true)
    }

    @Test("a body that is not compressed as announced is refused")
    func none() {
        let error = #expect(throws: FeedError.self) { try Self.decode(Array("{\"items\": []}".utf8)) }
        #expect(error?.message == "the compressed body is damaged: incorrect header check")
    }

    @Test("a compressed body is decoded up to its limit in pieces of bounded size")
    func bomb() async throws {
        let packed = try await Subprocess.gzip([UInt8](repeating: 0x20, count: 1_000_000))
        let decoded = try Self.decode(packed, limit: 1_000_000)
        #expect(decoded.plain.count == 1_000_000)
        #expect(Set(decoded.pieces) == [128 << 10])
        let error = #expect(throws: FeedError.self) { try Self.decode(packed, limit: 999_999) }
        #expect(error == .larger(than: 999_999, host: "h").at(.transferring))
    }
}
