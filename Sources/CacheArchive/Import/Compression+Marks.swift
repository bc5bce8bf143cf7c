internal import FeedCore

/// Compressions by the bytes that they begin with.
extension Compression {
    static let zstdMark: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    static let longestMark = 6

    private static let marks: [(Compression, [UInt8])] = [
        (.gzip, [0x1F, 0x8B, 8]), (.xz, [0xFD] + Array("7zXZ\0".utf8)), (.zstd, zstdMark),
    ]

    init(of bytes: UnsafeRawBufferPointer) {
        self = Self.marks.first { bytes.starts(with: $0.1) }?.0 ?? .none
    }

    var decoder: (any StreamDecoder)? {
        get throws(FeedError) {
            switch self {
            case .none: nil
            case .gzip: try GzipDecoder()
            case .xz: try XZDecoder()
            case .zstd: try ZstdDecoder()
            }
        }
    }
}
