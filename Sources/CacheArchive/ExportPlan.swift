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
    /// Documents, and the layers of manifests.
    private var texts: KeptTexts

    /// What was made of texts on the way is kept while it has no more than so many bytes together.
    init(
        _ summaries: [FeedSummary], of snapshot: any CacheSnapshot, keeping mostOfTexts: Int = 8 << 20
    ) throws(FeedError) {
        texts = KeptTexts(room: mostOfTexts)
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, summary) in summaries.enumerated() {
            let feed = try plan(summary, number, in: snapshot)
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

    private mutating func plan(
        _ summary: FeedSummary, _ number: Int, in snapshot: any CacheSnapshot
    ) throws(FeedError) -> PlannedFeed {
        let hash = try SHA256()
        var size: Int64 = 0
        var layers: [Int64] = []
        var list = LayerList()
        var images: Set<Digest> = []
        try Self.forEachPiece(
            of: summary, in: snapshot,
            visitImage: { position, image, stored in
                guard let stored, images.insert(stored.digest).inserted else { return }
                layers.append(position)
                blobs.append(Blob(digest: stored.digest, size: stored.size, source: .image))
                list.add(image, stored, at: position)
                if list.isFull { keep(&list, of: number, upTo: layers.count) }
            },
            visit: { piece throws(FeedError) in
                texts.keep(piece, as: .document(number), isFirst: size == 0)
                size += Int64(piece.count)
                try hash.update(piece)
            })
        if list.count > 0 { keep(&list, of: number, upTo: layers.count) }
        return PlannedFeed(
            summary: summary,
            document: BlobDescriptor(mediaType: OCILayout.feedType, digest: try hash.finish(), size: size),
            layers: layers)
    }

    private mutating func keep(_ list: inout LayerList, of feed: Int, upTo layers: Int) {
        let part = (layers - 1) / OCILayout.layersOfManifest
        texts.keep(list.finish(), as: .manifest(feed: feed, part: part))
        list = LayerList()
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
            try Self.forEachPiece(of: feeds[number].summary, in: snapshot, visit: visit)
        case .manifest(let feed, let part): try visit(try manifest(feed: feed, part: part, in: snapshot))
        }
    }

    /// Visits the document of a feed, piece by piece, and its images on the way.
    private static func forEachPiece(
        of feed: FeedSummary, in snapshot: any CacheSnapshot,
        visitImage: (Int64, FeedImage, StoredImage?) -> Void = { _, _, _ in },
        visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        var document = FeedDocumentWriter()
        document.begin(feed)
        try snapshot.forEachImage(of: feed.url, at: .min ... .max) { position, image, stored throws(FeedError) in
            visitImage(position, image, stored)
            document.add(image, stored)
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
        var list = LayerList()
        guard let first = wanted.first, let last = wanted.last else { return list.finish() }
        try snapshot.forEachImage(of: feed.summary.url, at: first...last) { position, image, stored in
            guard position == wanted.first, let stored else { return }
            wanted = wanted.dropFirst()
            list.add(image, stored, at: position)
        }
        return list.finish()
    }

    private static func digest(of bytes: [UInt8]) throws(FeedError) -> Digest {
        let hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish()
    }
}

/// Texts that are few and short enough to be kept.
private struct KeptTexts {
    private var room: Int
    private var pieces: [ExportPlan.Source: [[UInt8]]] = [:]

    init(room: Int) { self.room = room }

    subscript(source: ExportPlan.Source) -> [[UInt8]]? { pieces[source] }

    /// The next piece of a text. One that doesn't fit is forgotten as a whole.
    mutating func keep(_ piece: [UInt8], as source: ExportPlan.Source, isFirst: Bool = true) {
        guard isFirst || pieces[source] != nil else { return }
        room -= piece.count
        pieces[source, default: []].append(piece)
        if room < 0 { room += pieces.removeValue(forKey: source)?.reduce(0) { $0 + $1.count } ?? 0 }
    }
}
