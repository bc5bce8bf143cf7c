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

    /// Manifests of so many parts are hashed side by side.
    private static let partsAtOnce = 16
    /// Are written and hashed while the next are read.
    private static let rowsAtOnce = 256

    private(set) var feeds: [PlannedFeed] = []
    /// In the order of their digests, each once.
    private(set) var blobs: [Blob] = []
    private(set) var index: [UInt8] = []
    /// Documents, and the layers of manifests.
    private let texts: KeptTexts
    /// Makes and hashes documents while the next rows are read, which with the lists of layers takes as long.
    private let beside = WorkBeside("feedsync.planning")

    /// What was made of texts on the way is kept while it has no more than so many bytes together.
    init(
        _ summaries: [FeedSummary], of snapshot: any CacheSnapshot, keeping mostOfTexts: Int = 8 << 20
    ) throws(FeedError) {
        texts = KeptTexts(room: mostOfTexts)
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, summary) in summaries.enumerated() {
            let feed = try plan(summary, number, in: snapshot, &blobs)
            feeds.append(feed)
            blobs.append(Blob(digest: feed.document.digest, size: feed.document.size, source: .document(number)))
            let name = names.name(title: summary.title, url: summary.url.text)
            for first in stride(from: 0, to: feed.parts, by: Self.partsAtOnce) {
                let parts = first..<min(first + Self.partsAtOnce, feed.parts)
                for (part, manifest) in zip(parts, try self.manifests(of: number, parts, in: snapshot)) {
                    blobs.append(
                        Blob(digest: manifest.digest, size: manifest.size, source: .manifest(feed: number, part: part)))
                    manifests.append((manifest, part == 0 ? name : "\(name).\(part + 1)"))
                }
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

    var imageCount: Int { blobs.count { $0.source == .image } }

    var byteCount: Int64 { blobs.reduce(0) { $0 + $1.size } }

    private func plan(
        _ summary: FeedSummary, _ number: Int, in snapshot: any CacheSnapshot, _ blobs: inout [Blob]
    ) throws(FeedError) -> PlannedFeed {
        let document = try PlannedDocument(of: summary, as: .document(number), in: texts)
        var layers: [Int64] = []
        var images: Set<Digest> = []
        // Of the part that is under way.
        var part: [Layer] = []
        func keepPart() {
            let source = Source.manifest(feed: number, part: (layers.count - 1) / OCILayout.layersOfManifest)
            beside.perform { [texts, part] in texts.keep(LayerList.bytes(of: part), as: source) }
            part = []
        }
        var rows: [SnapshotImage] = []
        try snapshot.forEachImage(of: summary.url, at: .min ... .max) { image throws(FeedError) in
            rows.append(image)
            if rows.count == Self.rowsAtOnce {
                if Task.isCancelled { throw .cancelled }
                beside.perform { [rows] in document.add(rows) }
                rows = []
            }
            guard let layer = Layer(image), images.insert(layer.digest).inserted else { return }
            layers.append(layer.position)
            blobs.append(Blob(digest: layer.digest, size: layer.size, source: .image))
            part.append(layer)
            if part.count == OCILayout.layersOfManifest { keepPart() }
        }
        if !part.isEmpty { keepPart() }
        beside.wait()
        document.add(rows)
        return PlannedFeed(summary: summary, document: try document.finish(), layers: layers)
    }

    /// Visits the bytes of a document or a manifest, which is made anew where it was not kept: all of a large cache's
    /// together would take much memory.
    func forEachPiece(
        of source: Source, in snapshot: any CacheSnapshot, _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        switch source {
        case .image: return
        case .document(let number):
            if let pieces = texts[source] {
                for piece in pieces { try visit(piece) }
                return
            }
            try Self.forEachPiece(of: feeds[number].summary, in: snapshot, visit)
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
        let kept = texts[.manifest(feed: number, part: part)]?.first
        let layers = if let kept { kept } else { try layers(of: number, part, in: snapshot) }
        return OCILayout.manifest(config: feeds[number].document, layers: layers)
    }

    private func layers(of number: Int, _ part: Int, in snapshot: any CacheSnapshot) throws(FeedError) -> [UInt8] {
        let feed = feeds[number]
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
        var texts: [[UInt8]] = []
        for part in parts { texts.append(try manifest(feed: feed, part: part, in: snapshot)) }
        var manifests: [BlobDescriptor] = []
        for (text, digest) in zip(texts, ManyDigests.of(texts)) {
            manifests.append(
                BlobDescriptor(mediaType: OCILayout.manifestType, digest: try digest.get(), size: Int64(text.count)))
        }
        return manifests
    }
}
