/// The limit that `--max-feed-size` sets for one feed: for its bytes, and for its images, which need more memory than the
/// bytes that name them.
package struct FeedSizeLimit: Hashable, Sendable {
    package static let standard = FeedSizeLimit(bytes: 64 << 20)
    private static let bytesOfEachImage: Int64 = 256

    package let bytes: Int64

    package init(bytes: Int64) { self.bytes = bytes }

    /// The most images that one response, all pages of a walk, or one document of an archive may have.
    package var images: Int { Int(bytes / Self.bytesOfEachImage) }

    /// What is wrong with a feed of more images.
    package static func tooMany(_ images: Int) -> String { "more than \(images) images (see --max-feed-size)" }
}
