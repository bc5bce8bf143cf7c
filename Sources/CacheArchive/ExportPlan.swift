internal import FeedCore
internal import Hashing

/// What goes into an archive, found out before anything is written: the index comes first, and names all by digest.
struct ExportPlan {
    enum Source: Hashable {
        case image
        /// Of the feed at this index.
        case document(Int)
        /// The part at `part` of the feed at `feed`.
        case manifest(feed: Int, part: Int)
    }

    struct Blob {
        let digest: Digest
        let size: Int64
        let source: Source
    }

    struct PlannedFeed {
        let summary: FeedSummary
        let document: BlobDescriptor
        /// Of the images that are the first with their data.
        let layers: [Int64]

        /// A feed without data has one part as well.
        var parts: Int { max(1, (layers.count + OCILayout.layersOfManifest - 1) / OCILayout.layersOfManifest) }

        func layers(ofPart part: Int) -> ArraySlice<Int64> {
            layers.dropFirst(part * OCILayout.layersOfManifest).prefix(OCILayout.layersOfManifest)
        }
    }

    private(set) var feeds: [PlannedFeed] = []
    /// In the order of their digests, each once.
    private(set) var blobs: [Blob] = []
    private(set) var index: [UInt8] = []

    init(_ summaries: [FeedSummary], of snapshot: any CacheSnapshot) throws(FeedError) {
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, summary) in summaries.enumerated() {
            let feed = try Self.plan(summary, in: snapshot, &blobs)
            feeds.append(feed)
            blobs.append(Blob(digest: feed.document.digest, size: feed.document.size, source: .document(number)))
            let name = names.name(title: summary.title, url: summary.url.text)
            for part in 0..<feed.parts {
                let bytes = try manifest(feed: number, part: part, in: snapshot)
                let manifest = BlobDescriptor(
                    mediaType: OCILayout.manifestType, digest: try Self.digest(of: bytes), size: Int64(bytes.count))
                blobs.append(
                    Blob(digest: manifest.digest, size: manifest.size, source: .manifest(feed: number, part: part)))
                manifests.append((manifest, part == 0 ? name : "\(name).\(part + 1)"))
            }
        }
        index = OCILayout.index(manifests)
        blobs.sort { $0.digest < $1.digest }
        // Of an image that several feeds have.
        var last: Digest?
        blobs.removeAll { blob in
            defer { last = blob.digest }
            return blob.digest == last
        }
    }

    /// In the order in which they are blobs.
    var images: [ImagesAhead.Image] {
        blobs.lazy.filter { $0.source == .image }.map { ImagesAhead.Image(digest: $0.digest, size: $0.size) }
    }

    var byteCount: Int64 { blobs.reduce(0) { $0 + $1.size } }

    private static func plan(
        _ summary: FeedSummary, in snapshot: any CacheSnapshot, _ blobs: inout [Blob]
    ) throws(FeedError) -> PlannedFeed {
        let hash = try SHA256()
        var size: Int64 = 0
        var layers: [Int64] = []
        var images: Set<Digest> = []
        try forEachPiece(
            of: summary, in: snapshot,
            visitImage: { position, stored in
                guard let stored, images.insert(stored.digest).inserted else { return }
                layers.append(position)
                blobs.append(Blob(digest: stored.digest, size: stored.size, source: .image))
            },
            visit: { piece throws(FeedError) in
                size += Int64(piece.count)
                try hash.update(piece)
            })
        return PlannedFeed(
            summary: summary,
            document: BlobDescriptor(mediaType: OCILayout.feedType, digest: try hash.finish(), size: size),
            layers: layers)
    }

    /// Visits the document of a feed, piece by piece, and its images on the way.
    static func forEachPiece(
        of feed: FeedSummary, in snapshot: any CacheSnapshot,
        visitImage: (Int64, StoredImage?) -> Void = { _, _ in }, visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        var document = FeedDocumentWriter()
        document.begin(feed)
        try snapshot.forEachImage(of: feed.url, at: .min ... .max) { position, image, stored throws(FeedError) in
            visitImage(position, stored)
            document.add(image, stored)
            if let piece = document.take() {
                if Task.isCancelled { throw .cancelled }
                try visit(piece)
            }
        }
        document.end()
        if let piece = document.take(all: true) { try visit(piece) }
    }

    /// Made anew whenever it is wanted: all of a large cache's together would take much memory.
    func manifest(feed number: Int, part: Int, in snapshot: any CacheSnapshot) throws(FeedError) -> [UInt8] {
        let feed = feeds[number]
        var wanted = feed.layers(ofPart: part)
        var layers: [(BlobDescriptor, String)] = []
        guard let first = wanted.first, let last = wanted.last else {
            return OCILayout.manifest(config: feed.document, layers: [])
        }
        try snapshot.forEachImage(of: feed.summary.url, at: first...last) { position, image, stored in
            guard position == wanted.first, let stored else { return }
            wanted = wanted.dropFirst()
            layers.append(
                (
                    BlobDescriptor(mediaType: stored.type.mediaType, digest: stored.digest, size: stored.size),
                    Self.title(of: image, stored.type, at: position)
                ))
        }
        return OCILayout.manifest(config: feed.document, layers: layers)
    }

    /// `0001-a-description.jpg`.
    private static func title(of image: FeedImage, _ type: ImageType, at position: Int64) -> String {
        let digits = String(position &+ 1)
        let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let slug = Slug.make(image.description ?? "", limit: 60)
        return "\(number)\(slug.isEmpty ? "" : "-")\(slug).\(type.fileExtension)"
    }

    private static func digest(of bytes: [UInt8]) throws(FeedError) -> Digest {
        let hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish()
    }
}
