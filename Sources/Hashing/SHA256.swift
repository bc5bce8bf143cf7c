internal import CCrypto
package import FeedCore

/// Computes a SHA-256 digest from chunks.
///
/// It is used by one thread at a time.
package final class SHA256 {
    private let context: OpaquePointer

    package init() throws(FeedError) {
        guard let algorithm = Self.algorithm.pointer, let context = EVP_MD_CTX_new() else {
            throw Self.failure("starting")
        }
        self.context = context
        guard EVP_DigestInit_ex2(context, algorithm, nil) == 1 else { throw Self.failure("starting") }
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw Self.failure("hashing") }
    }

    package func update(_ bytes: [UInt8]) throws(FeedError) {
        try bytes.withUnsafeBufferPointer { bytes throws(FeedError) in try update(UnsafeRawBufferPointer(bytes)) }
    }

    /// Returns the digest.
    ///
    /// It is the last call on this object.
    package func finish() throws(FeedError) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Digest.byteCount)
        guard EVP_DigestFinal_ex(context, &bytes, nil) == 1, let digest = Digest(bytes: bytes) else {
            throw Self.failure("finishing")
        }
        return digest
    }

    package static func digest(of bytes: UnsafeRawBufferPointer) throws(FeedError) -> Digest {
        let hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish()
    }

    package static func digest(of text: String) throws(FeedError) -> Digest { try digest(of: Array(text.utf8)) }

    package static func digest(of bytes: [UInt8]) throws(FeedError) -> Digest {
        try bytes.withUnsafeBufferPointer { bytes throws(FeedError) in try digest(of: UnsafeRawBufferPointer(bytes)) }
    }

    /// The algorithm is fetched once, because fetching it takes longer than hashing a small image.
    private static let algorithm = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))

    private struct Algorithm: @unchecked Sendable {
        // Unchecked, because an algorithm of OpenSSL is constant after it was fetched.
        let pointer: OpaquePointer?
    }

    private static func failure(_ doing: String) -> FeedError {
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return .storage(.failed, "SHA-256: \(doing) failed: \(reason)")
    }
}
