internal import FeedCore
internal import Hashing

/// What goes into an archive, found out before anything is written: the index comes first, and names all by digest.
struct ExportPlan {
    enum Source: Hashable {
        case image
        /// The document of the feed at this index.
        case document(Int)
        /// A part's manifest, of the feed at this index.
        case manifest(feed: Int, part: Int)
    }

    struct Blob {
        let digest: Digest
        let size: Int64
        let source: Source
    }

    private struct PlannedFeed {
        let summary: FeedSummary
        let document: BlobDescriptor
        /// The positions of the images that are the first with their data.
        let layers: [Int64]

        /// A feed without data has one part as well.
        var parts: Int { max(1, (layers.count + OCILayout.layersOfManifest - 1) / OCILayout.layersOfManifest) }

        func layers(ofPart part: Int) -> ArraySlice<Int64> {
            layers.dropFirst(part * OCILayout.layersOfManifest).prefix(OCILayout.layersOfManifest)
        }
    }

    /// In the order of their digests, each once.
    private(set) var images: [Blob] = []
    /// Documents and manifests, in the order of their digests.
    private(set) var texts: [Blob] = []
    private(set) var index: [UInt8] = []
    private let snapshot: any CacheSnapshot
    private var feeds: [PlannedFeed] = []
    private let kept: KeptTexts

    /// Texts are kept while they have no more than so many bytes together. Others are made anew when they are written: all
    /// of a large cache's would take much memory.
    init(
        _ feeds: [FeedSummary], in snapshot: any CacheSnapshot, keeping mostOfTexts: Int = 8 << 20
    ) throws(FeedError) {
        self.snapshot = snapshot
        kept = KeptTexts(room: mostOfTexts)
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, summary) in feeds.enumerated() {
            let feed = try read(summary, number)
            self.feeds.append(feed)
            texts.append(Blob(digest: feed.document.digest, size: feed.document.size, source: .document(number)))
            let name = names.name(title: summary.title, url: summary.url.text)
            for part in 0..<feed.parts {
                let text = try manifest(feed: number, part: part)
                let manifest = BlobDescriptor(
                    mediaType: OCILayout.manifestType, digest: try SHA256.digest(of: text), size: Int64(text.count))
                texts.append(
                    Blob(digest: manifest.digest, size: manifest.size, source: .manifest(feed: number, part: part)))
                manifests.append((manifest, part == 0 ? name : "\(name).\(part + 1)"))
            }
        }
        index = OCILayout.index(manifests)
        texts.sort { $0.digest < $1.digest }
        images.sort { $0.digest < $1.digest }
        // Several feeds may have the same image.
        var last: Digest?
        images.removeAll { image in
            defer { last = image.digest }
            return image.digest == last
        }
    }

    var feedCount: Int { feeds.count }

    var byteCount: Int64 { images.reduce(texts.reduce(0) { $0 + $1.size }) { $0 + $1.size } }

    /// In the order of their digests, each once.
    func forEachBlob(_ visit: (Blob) throws(FeedError) -> Void) throws(FeedError) {
        var texts = texts[...]
        for image in images {
            while let text = texts.first, text.digest < image.digest {
                try visit(text)
                texts.removeFirst()
            }
            try visit(image)
        }
        for text in texts { try visit(text) }
    }

    /// Visits the bytes of a document or a manifest.
    func forEachPiece(of source: Source, _ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        switch source {
        case .image: return
        case .document(let number):
            if let text = kept[source] { return try visit(text) }
            try forEachPiece(ofDocumentOf: feeds[number].summary, visit) { _ in }
        case .manifest(let feed, let part): try visit(try manifest(feed: feed, part: part))
        }
    }

    /// Goes through the rows of a feed once: for its document, its images, and the layers of its manifests.
    private mutating func read(_ summary: FeedSummary, _ number: Int) throws(FeedError) -> PlannedFeed {
        let hash = try SHA256()
        var size: Int64 = 0
        var found: [Blob] = []
        var layers: [Int64] = []
        var digests: Set<Digest> = []
        // The part that is under way.
        var part: [Layer] = []
        func keepPart() {
            let source = Source.manifest(feed: number, part: (layers.count - 1) / OCILayout.layersOfManifest)
            kept.keep(LayerList.bytes(of: part), as: source)
            part = []
        }
        try forEachPiece(ofDocumentOf: summary) { piece throws(FeedError) in
            kept.keep(piece, as: .document(number), isFirst: size == 0)
            size += Int64(piece.count)
            try hash.update(piece)
        } image: { image in
            guard let layer = Layer(image), digests.insert(layer.digest).inserted else { return }
            layers.append(layer.position)
            found.append(Blob(digest: layer.digest, size: layer.size, source: .image))
            part.append(layer)
            if part.count == OCILayout.layersOfManifest { keepPart() }
        }
        if !part.isEmpty { keepPart() }
        images += found
        let document = BlobDescriptor(mediaType: OCILayout.feedType, digest: try hash.finish(), size: size)
        return PlannedFeed(summary: summary, document: document, layers: layers)
    }

    private func forEachPiece(
        ofDocumentOf feed: FeedSummary, _ visit: ([UInt8]) throws(FeedError) -> Void,
        image look: (SnapshotImage) -> Void
    ) throws(FeedError) {
        var document = FeedDocumentWriter(feed)
        try snapshot.forEachImage(of: feed.url, at: .min ... .max) { image throws(FeedError) in
            look(image)
            document.add(image)
            if let piece = document.take() {
                if Task.isCancelled { throw .cancelled }
                try visit(piece)
            }
        }
        try visit(document.end())
    }

    private func manifest(feed number: Int, part: Int) throws(FeedError) -> [UInt8] {
        let kept = kept[.manifest(feed: number, part: part)]
        let layers = if let kept { kept } else { try layers(of: feeds[number], part) }
        return OCILayout.manifest(config: feeds[number].document, layers: layers)
    }

    private func layers(of feed: PlannedFeed, _ part: Int) throws(FeedError) -> [UInt8] {
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
}

/// Texts that are few and short enough to be kept.
private final class KeptTexts {
    private var room: Int
    private var texts: [ExportPlan.Source: [UInt8]] = [:]

    init(room: Int) { self.room = room }

    subscript(source: ExportPlan.Source) -> [UInt8]? { texts[source] }

    /// Keeps the next piece of a text. A text that doesn't fit is forgotten as a whole.
    func keep(_ piece: [UInt8], as source: ExportPlan.Source, isFirst: Bool = true) {
        guard isFirst || texts[source] != nil else { return }
        texts[source, default: []] += piece
        room -= piece.count
        if room < 0, let text = texts.removeValue(forKey: source) { room += text.count }
    }
}
