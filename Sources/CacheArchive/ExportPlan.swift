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

    /// Manifests of so many parts are hashed side by side.
    private static let partsAtOnce = 16

    /// Documents and manifests, in the order of their digests.
    private(set) var texts: [Blob] = []
    private(set) var index: [UInt8] = []
    private let rows: PlannedRows
    /// Of the feeds, in their order.
    private var documents: [BlobDescriptor] = []

    init(_ rows: PlannedRows, of snapshot: any CacheSnapshot) throws(FeedError) {
        self.rows = rows
        rows.waitForTexts()
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, feed) in rows.feeds.enumerated() {
            let document = try feed.document.descriptor
            documents.append(document)
            texts.append(Blob(digest: document.digest, size: document.size, source: .document(number)))
            let name = names.name(title: feed.summary.title, url: feed.summary.url.text)
            for first in stride(from: 0, to: feed.parts, by: Self.partsAtOnce) {
                let parts = first..<min(first + Self.partsAtOnce, feed.parts)
                for (part, manifest) in zip(parts, try self.manifests(of: number, parts, in: snapshot)) {
                    texts.append(
                        Blob(digest: manifest.digest, size: manifest.size, source: .manifest(feed: number, part: part)))
                    manifests.append((manifest, part == 0 ? name : "\(name).\(part + 1)"))
                }
            }
        }
        index = OCILayout.index(manifests)
        texts.sort { $0.digest < $1.digest }
    }

    var feedCount: Int { rows.feeds.count }

    var imageCount: Int { rows.images.count }

    var byteCount: Int64 { rows.images.reduce(texts.reduce(0) { $0 + $1.size }) { $0 + $1.size } }

    /// In the order of their digests, each once.
    func forEachBlob(_ visit: (Blob) throws(FeedError) -> Void) throws(FeedError) {
        var texts = texts[...]
        for image in rows.images {
            while let text = texts.first, text.digest < image.digest {
                try visit(text)
                texts.removeFirst()
            }
            try visit(image)
        }
        for text in texts { try visit(text) }
    }

    /// Visits the bytes of a document or a manifest, which is made anew where it was not kept: all of a large cache's
    /// together would take much memory.
    func forEachPiece(
        of source: Source, in snapshot: any CacheSnapshot, _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        switch source {
        case .image: return
        case .document(let number):
            if let pieces = rows.texts[source] {
                for piece in pieces { try visit(piece) }
                return
            }
            try Self.forEachPiece(of: rows.feeds[number].summary, in: snapshot, visit)
        case .manifest(let feed, let part): try visit(try manifest(feed: feed, part: part, in: snapshot))
        }
    }

    /// Visits the document of a feed, piece by piece.
    private static func forEachPiece(
        of feed: FeedSummary, in snapshot: any CacheSnapshot, _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        var document = FeedDocumentWriter()
        document.begin(feed)
        try snapshot.forEachImage(of: feed.url, at: .min ... .max) { image throws(FeedError) in
            document.add(image)
            if let piece = document.take() {
                if Task.isCancelled { throw .cancelled }
                try visit(piece)
            }
        }
        document.end()
        if let piece = document.take(all: true) { try visit(piece) }
    }

    private func manifest(feed number: Int, part: Int, in snapshot: any CacheSnapshot) throws(FeedError) -> [UInt8] {
        let kept = rows.texts[.manifest(feed: number, part: part)]?.first
        let layers = if let kept { kept } else { try layers(of: number, part, in: snapshot) }
        return OCILayout.manifest(config: documents[number], layers: layers)
    }

    private func layers(of number: Int, _ part: Int, in snapshot: any CacheSnapshot) throws(FeedError) -> [UInt8] {
        let feed = rows.feeds[number]
        var wanted = feed.layers(ofPart: part)
        var layers: [Layer] = []
        guard let first = wanted.first, let last = wanted.last else { return LayerList.bytes(of: layers) }
        try snapshot.forEachImage(of: feed.summary.url, at: first...last) { image in
            guard image.position == wanted.first, let layer = Layer(image) else { return }
            wanted = wanted.dropFirst()
            layers.append(layer)
        }
        return LayerList.bytes(of: layers)
    }

    private func manifests(
        of feed: Int, _ parts: Range<Int>, in snapshot: any CacheSnapshot
    ) throws(FeedError) -> [BlobDescriptor] {
        var manifests: [BlobDescriptor] = []
        for part in parts {
            let text = try manifest(feed: feed, part: part, in: snapshot)
            let digest = try SHA256.digest(of: text)
            manifests.append(
                BlobDescriptor(mediaType: OCILayout.manifestType, digest: digest, size: Int64(text.count)))
        }
        return manifests
    }
}
