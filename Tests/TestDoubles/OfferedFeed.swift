package import FeedCore
internal import TestSupport

extension CacheTransfer {
    /// Imports an archive with these feeds and the bytes of their images.
    @discardableResult
    package func takeIn(
        _ feeds: OfferedFeed..., restoring restores: Bool = true, isForced: Bool = false,
        now: Timestamp = Timestamp(microseconds: 100)
    ) async throws -> ImportReport {
        try await takeIn { intake throws(FeedError) in
            var seen: Set<Digest> = []
            for case let text? in feeds.flatMap(\.texts) {
                let bytes = Samples.png(text)
                let digest = InMemoryImageStore.digest(of: bytes)
                if seen.insert(digest).inserted { try intake.blobs.add(bytes, as: digest) }
            }
            return try intake.merge { merge throws(FeedError) in
                try FeedMerging(isForced: isForced, restores: restores, now: now).merge(feeds, into: merge)
            }
        }
    }
}

/// A feed of an archive, whose images have PNG files with texts in them.
package struct OfferedFeed: ArchivedFeed {
    package var head: FeedHead
    package var removals: [FeedImage]
    private let items: [(image: FeedImage, text: String?)]
    /// The texts of the images that the archive leaves out.
    package var leftOut: Set<String> = []
    /// The alternatives that have the data of images.
    package var sources: [ImageKey: ResourceURL] = [:]

    package init(
        _ url: ResourceURL = .first, savedAt: Int64, keep: Keep? = nil, _ images: [(FeedImage, String?)] = [],
        without removals: [FeedImage] = []
    ) {
        head = FeedHead(url: url, title: nil, format: .rss, savedAt: Timestamp(microseconds: savedAt), keep: keep)
        head.naming = .byCommand
        items = images
        self.removals = removals
    }

    package var images: [FeedImage] { items.map(\.image) }
    fileprivate var texts: [String?] { items.map(\.text).filter { text in text.map { !leftOut.contains($0) } ?? true } }

    package func removed() -> RemovedImages { RemovedImages(removals.map(RemovedImages.Removal.init)) }

    package func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError) {
        for (image, text) in items { try visit(image, text.map { data($0, of: image) } ?? .none) }
    }

    private func data(_ text: String, of image: FeedImage) -> ArchivedData {
        let bytes = Samples.png(text)
        let data = LeftOutImage(
            url: sources[ImageKey(image)] ?? image.url, digest: InMemoryImageStore.digest(of: bytes),
            validators: Validators(etag: text),
            fetchedAt: head.savedAt)
        return leftOut.contains(text)
            ? .leftOut(data) : .held(data.found(size: Int64(bytes.count), type: .png, published: image.published))
    }
}
