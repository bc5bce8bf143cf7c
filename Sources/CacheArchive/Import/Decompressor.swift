internal import CArchive
internal import FeedCore

/// Undoes an archive's compression, if it has one, and knows what comes after its end. libarchive would do so, too, but
/// takes as much memory as a stream asks for, passes over the check of gzip, and doesn't tell of data behind the end.
final class Decompressor {
    private static let blockSize = 256 * 1024
    /// Far more than any tar fills its last record up with.
    private static let mostPadding = 64 << 20

    private let source: any ByteSource
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    /// The input that is not decoded yet.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isInputAtEnd = false
    /// Nil: the archive is as it is.
    private var decoder: (any StreamDecoder)?
    private var position: Int64 = 0
    /// Behind the last byte that is not zero: a tar archive may end in any number of zeros.
    private(set) var endOfContent: Int64 = 0
    private var isAtEnd = false

    init(_ source: any ByteSource) throws(FeedError) {
        self.source = source
        // From a pipe it may come byte by byte.
        while rest.count < Compression.longestMark, !isInputAtEnd { try read() }
        decoder = try Compression(of: rest).decoder
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    /// There was nothing in it.
    var isEmpty: Bool { isAtEnd && position == 0 }

    /// The next bytes, valid until the one after them is asked for; nil at the end.
    func next() throws(FeedError) -> UnsafeRawBufferPointer? {
        guard !isAtEnd, let block = try decoded() else {
            isAtEnd = true
            return nil
        }
        if position == 0, decoder != nil, Compression(of: block) != .none {
            throw .invalidData("the archive is compressed more than once")
        }
        if let last = block.lastIndex(where: { $0 != 0 }) { endOfContent = position + Int64(last) + 1 }
        position += Int64(block.count)
        return block
    }

    /// To be called when nothing more is wanted: reads to the end, and throws unless that is where it should be.
    func finish() throws(FeedError) {
        var padding = 0
        while let block = try next() {
            padding += block.count
            // Endless zeros compress to next to nothing.
            guard padding <= Self.mostPadding else {
                throw .invalidData("there are more than \(Self.mostPadding >> 20) MiB after the end of the archive")
            }
        }
    }

    /// Adds to what is left of the input.
    private func read() throws(FeedError) {
        input.copyMemory(from: rest)
        let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: input[rest.count...]))
        rest = UnsafeRawBufferPointer(rebasing: input[..<(rest.count + count)])
        isInputAtEnd = count == 0
    }

    /// Not empty; nil at the end.
    private func decoded() throws(FeedError) -> UnsafeRawBufferPointer? {
        while true {
            if rest.isEmpty, !isInputAtEnd { try read() }
            guard let decoder else {
                defer { rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...]) }
                return rest.isEmpty ? nil : rest
            }
            do throws(DecodingFailure) {
                let count = try decoder.decode(&rest, into: output, isLast: isInputAtEnd)
                if count > 0 { return UnsafeRawBufferPointer(rebasing: output[..<count]) }
                guard rest.isEmpty, isInputAtEnd else { continue }
                guard decoder.isWhole else { throw .cutOff }
                return nil
            } catch {
                throw error.told(decoder)
            }
        }
    }
}

extension DecodingFailure {
    fileprivate func told(_ decoder: any StreamDecoder) -> FeedError {
        // A few bytes behind the end of a stream may look like the beginning of another one.
        let trailing = decoder.mayHaveEnded ? ", or there is data after its end" : ""
        return switch self {
        case .cutOff: .invalidData("the archive is cut off\(trailing)")
        case .damaged(let reason): .invalidData("the archive is damaged\(trailing): \(reason)")
        case .dataAfterEnd: .invalidData("there is data after the end of the compressed archive")
        case .largeWindow:
            .invalidData(
                "the archive takes more than \(DecodingLimit.window >> 20) MiB of memory to decompress: its dictionary "
                    + "or window is too large (xz -9 and zstd --long=26 are taken)")
        case .noMemory: .storage(.failed, "out of memory")
        }
    }
}

extension OpaquePointer {
    /// What libarchive says of the last failure of an archive.
    var errorText: String { archive_error_string(self).map { String(cString: $0) } ?? "unknown reason" }
}
