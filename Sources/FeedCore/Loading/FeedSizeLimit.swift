/// The limit that `--max-feed-size` sets for one feed: for its bytes, and for its images, which need more memory than the
/// bytes that name them.
package struct FeedSizeLimit: Hashable, Sendable {
    package static let standard = FeedSizeLimit(bytes: 64 << 20)
    private static let bytesOfEachImage: Int64 = 256

    package let bytes: Int64

    package init(bytes: Int64) { self.bytes = bytes }

    /// The most images that one response, all pages of a walk, or one document of an archive may have. Kept items of a
    /// document do not count.
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
