internal import FeedCore
internal import Hashing

/// The contents of an archive.
///
/// The plan is complete before the first byte is written, because the index comes first and refers to everything by
/// digest.
struct ExportPlan {
    enum BlobKind: Hashable {
        case image
        /// The document of the feed at this index.
        case document(Int)
        /// The manifest of a part of the feed at this index.
        case manifest(feed: Int, part: Int)
    }

    struct PlannedBlob {
        let digest: Digest
        let size: Int64
        let kind: BlobKind
    }

    private struct PlannedFeed {
        let head: FeedHead
        let document: BlobDescriptor
        /// The positions and the numbers of the images that are the first of the feed with their data.
        let layers: [(position: Int64, number: Int)]

        /// The number of parts.
        ///
        /// A feed without data has one part.
        var parts: Int { max(1, (layers.count + OCILayout.layersOfManifest - 1) / OCILayout.layersOfManifest) }

        func layers(ofPart part: Int) -> ArraySlice<(position: Int64, number: Int)> {
            layers.dropFirst(part * OCILayout.layersOfManifest).prefix(OCILayout.layersOfManifest)
        }
    }

    /// The distinct images that the archive contains, in the order of their digests.
    private(set) var images: [PlannedBlob] = []
    /// The documents and manifests, in the order of their digests.
    private(set) var texts: [PlannedBlob] = []
    private(set) var index: [UInt8] = []
    private let snapshot: any CacheSnapshot
    private var feeds: [PlannedFeed] = []
    private let textCache: TextCache

    /// Plans the export.
    ///
    /// A thin archive leaves out the images in `leftOut`. Texts of at most `mostOfTexts` bytes in total are cached. The
    /// others are generated again when they are written, because all texts of a large cache would take much memory.
    init(
        _ feeds: [FeedHead], in snapshot: any CacheSnapshot, without leftOut: Set<Digest>? = nil,
        keeping mostOfTexts: Int = 64 << 20
    ) throws(FeedError) {
        self.snapshot = snapshot
        textCache = TextCache(room: mostOfTexts)
        var names = FeedNames()
        var manifests: [(BlobDescriptor, String)] = []
        for (number, head) in feeds.enumerated() {
            let feed = try read(head, number)
            self.feeds.append(feed)
            texts.append(PlannedBlob(digest: feed.document.digest, size: feed.document.size, kind: .document(number)))
            let name = names.name(title: head.title, url: head.url.text)
            for part in 0..<feed.parts {
                let text = try manifest(feed: number, part: part)
                let manifest = BlobDescriptor(
                    mediaType: OCILayout.manifestType, digest: try SHA256.digest(of: text), size: Int64(text.count))
                texts.append(
                    PlannedBlob(digest: manifest.digest, size: manifest.size, kind: .manifest(feed: number, part: part))
                )
                manifests.append((manifest, part == 0 ? name : "\(name).\(part + 1)"))
            }
        }
        let savedAt = feeds.map(\.savedAt).max() ?? Timestamp(microseconds: 0)
        index = OCILayout.index(manifests, isThin: leftOut != nil, savedAt: savedAt)
        texts.sort { $0.digest < $1.digest }
        if let leftOut { images.removeAll { leftOut.contains($0.digest) } }
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

    /// Visits every blob once, in the order of their digests.
    func forEachBlob(_ visit: (PlannedBlob) throws(FeedError) -> Void) throws(FeedError) {
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
    func forEachPiece(of kind: BlobKind, _ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        switch kind {
        case .image: return
        case .document(let number):
            if let text = textCache[kind] { return try visit(text) }
            try forEachPiece(ofDocumentOf: feeds[number].head, visit) { _ in }
        case .manifest(let feed, let part): try visit(try manifest(feed: feed, part: part))
        }
    }

    /// Reads the rows of a feed once: for its document, its images, and the layers of its manifests.
    private mutating func read(_ head: FeedHead, _ number: Int) throws(FeedError) -> PlannedFeed {
        let hash = try SHA256()
        var size: Int64 = 0
        var found: [PlannedBlob] = []
        var layers: [(position: Int64, number: Int)] = []
        var count = 0
        var digests: Set<Digest> = []
        // The layers of the current part.
        var part: [Layer] = []
        func keepPart() {
            let kind = BlobKind.manifest(feed: number, part: (layers.count - 1) / OCILayout.layersOfManifest)
            textCache.keep(LayerList.bytes(of: part), as: kind)
            part = []
        }
        try forEachPiece(ofDocumentOf: head) { piece throws(FeedError) in
            textCache.keep(piece, as: .document(number), isFirst: size == 0)
            size += Int64(piece.count)
            try hash.update(piece)
        } image: { image in
            count += 1
            guard let layer = Layer(image, number: count), digests.insert(layer.digest).inserted else { return }
            layers.append((layer.position, layer.number))
            found.append(PlannedBlob(digest: layer.digest, size: layer.size, kind: .image))
            part.append(layer)
            if part.count == OCILayout.layersOfManifest { keepPart() }
        }
        if !part.isEmpty { keepPart() }
        images += found
        let document = BlobDescriptor(mediaType: OCILayout.feedType, digest: try hash.finish(), size: size)
        return PlannedFeed(head: head, document: document, layers: layers)
    }

    private func forEachPiece(
        ofDocumentOf feed: FeedHead, _ visit: ([UInt8]) throws(FeedError) -> Void,
        image visitImage: (SnapshotImage) -> Void
    ) throws(FeedError) {
        let removed = try snapshot.removed(from: feed.url)
        var document = FeedDocumentWriter(feed, without: removed)
        try snapshot.forEachImage(of: feed.url, at: .min ... .max) { image throws(FeedError) in
            visitImage(image)
            document.add(image)
            if let piece = document.take() {
                if Task.isCancelled { throw .cancelled }
                try visit(piece)
            }
        }
        try visit(document.end())
    }

    private func manifest(feed number: Int, part: Int) throws(FeedError) -> [UInt8] {
        let textCache = textCache[.manifest(feed: number, part: part)]
        let layers = if let textCache { textCache } else { try layers(of: feeds[number], part) }
        return OCILayout.manifest(config: feeds[number].document, layers: layers)
    }

    private func layers(of feed: PlannedFeed, _ part: Int) throws(FeedError) -> [UInt8] {
        var wanted = feed.layers(ofPart: part)
        var layers: [Layer] = []
        guard let first = wanted.first, let last = wanted.last else { return LayerList.bytes(of: layers) }
        try snapshot.forEachImage(of: feed.head.url, at: first.position...last.position) { image in
            guard let next = wanted.first, image.position == next.position,
                let layer = Layer(image, number: next.number)
            else { return }
            wanted = wanted.dropFirst()
            layers.append(layer)
        }
        return LayerList.bytes(of: layers)
    }
}

/// The texts that are cached because they are few and short.
private final class TextCache {
    private var room: Int
    private var texts: [ExportPlan.BlobKind: [UInt8]] = [:]

    init(room: Int) { self.room = room }

    subscript(kind: ExportPlan.BlobKind) -> [UInt8]? { texts[kind] }

    /// Caches the next piece of a text.
    ///
    /// A text that exceeds the available space is removed as a whole.
    func keep(_ piece: [UInt8], as kind: ExportPlan.BlobKind, isFirst: Bool = true) {
        guard isFirst || texts[kind] != nil else { return }
        texts[kind, default: []] += piece
        room -= piece.count
        if room < 0, let text = texts.removeValue(forKey: kind) { room += text.count }
    }
}

/// Chooses distinct names for feeds.
struct FeedNames {
    /// The maximum length.
    ///
    /// A tag in a registry has at most 128 characters, including the number of a part.
    private static let longest = 100
    private var names = DistinctNames()

    mutating func name(title: String?, url: String) -> String {
        var slug = Slug.make(title ?? "", limit: Self.longest)
        if slug.isEmpty {
            // The scheme is omitted, because it distinguishes few URLs.
            let rest = url.split(separator: ":", maxSplits: 1).last.map(String.init) ?? url
            slug = Slug.make(rest, limit: Self.longest)
        }
        return names.name(like: slug.isEmpty ? "feed" : slug)
    }
}
