package enum ByteCount {
    package static let units: [(suffix: String, shift: Int)] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)]

    /// Exact, in the largest power of 1024 that it is a multiple of: as an option's value is written.
    package static func value(_ bytes: Int64) -> String {
        let unit = units.first { bytes >= 1 << $0.shift && bytes % (1 << $0.shift) == 0 }
        return unit.map { "\(bytes >> $0.shift)\($0.suffix)" } ?? "\(bytes)"
    }

    /// The same for a message: it's meant to be recognised as the option's value.
    package static func text(_ bytes: Int64) -> String {
        if bytes < 1 << 10 || bytes % (1 << 10) != 0 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        return value(bytes)
    }
}

/// The limit that `--max-feed-size` sets for one feed: for its bytes, and for its images, which need more memory than the
/// bytes that name them.
package struct FeedSizeLimit: Hashable, Sendable {
    package static let standard = FeedSizeLimit(bytes: 64 << 20)
    private static let bytesOfEachImage: Int64 = 256

    package let bytes: Int64

    package init(bytes: Int64) { self.bytes = bytes }

    /// The most images that one response, all pages of a walk, or one document of an archive may have.
    ///
    /// Kept items of a document do not count.
    package var images: Int { Int(bytes / Self.bytesOfEachImage) }

    /// The most bytes of the feed's document in an archive, which also describes the feed's kept items.
    package var document: Int64 {
        let (product, overflows) = bytes.multipliedReportingOverflow(by: 4)
        return overflows ? .max : product
    }

    /// Describes a document with too many bytes.
    package var tooLargeDocument: String { "larger than four times --max-feed-size (\(ByteCount.text(bytes)))" }

    /// Describes a feed with too many images.
    package static func tooMany(_ images: Int) -> String { "more than \(images) images (see --max-feed-size)" }
}

/// Reads whole numbers.
package enum DecimalDigits {
    /// Returns the number that the digits write.
    ///
    /// It returns nil for any other text, also for a sign, which `Int64.init` accepts.
    package static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
