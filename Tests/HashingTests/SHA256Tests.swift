import FeedCore
import Hashing
import TestDoubles
import TestSupport
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// The examples of FIPS 180-4, and results of `sha256sum`.
    static let vectors: [(LongText, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            LongText(String(repeating: "a", count: 1_000_000)),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test("SHA-256 gives the digests of the standard's examples", arguments: vectors)
    func hashes(_ message: LongText, _ hex: String) throws {
        let hash = try SHA256()
        try hash.update(Array(message.text.utf8))
        #expect(try hash.finish().hex == hex)
    }

    @Test("SHA-256 gives the same digest for every size of chunks", arguments: [1, 7, 63, 64, 65])
    func chunks(_ size: Int) throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let whole = try SHA256()
        try whole.update(bytes)
        let pieces = try SHA256()
        for start in stride(from: 0, to: bytes.count, by: size) {
            try pieces.update(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(try pieces.finish() == whole.finish())
    }
}
