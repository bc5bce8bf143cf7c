internal import FeedCore

/// What the rows of feeds say of an archive of them. The feeds' documents are made on the way, and may not be finished
/// yet when all rows are read.
struct PlannedRows {
    struct PlannedFeed {
        let summary: FeedSummary
        let document: PlannedDocument
        /// Of the images that are the first with their data.
        let layers: [Int64]

        /// A feed without data has one part as well.
        var parts: Int { max(1, (layers.count + OCILayout.layersOfManifest - 1) / OCILayout.layersOfManifest) }

        func layers(ofPart part: Int) -> ArraySlice<Int64> {
            layers.dropFirst(part * OCILayout.layersOfManifest).prefix(OCILayout.layersOfManifest)
        }
    }

    /// Are written and hashed while the next are read.
    private static let rowsAtOnce = 256

    private(set) var feeds: [PlannedFeed] = []
    /// In the order of their digests, each once.
    private(set) var images: [ExportPlan.Blob] = []
    /// Documents, and the layers of manifests.
    let texts: KeptTexts
    /// Makes documents and lists of layers while the next rows are read, which takes as long.
    private let beside = WorkBeside("feedsync.planning")

    /// What is made of texts on the way is kept while it has no more than so many bytes together.
    init(
        of feeds: [FeedSummary], in snapshot: any CacheSnapshot, keeping mostOfTexts: Int = 8 << 20
    ) throws(FeedError) {
        texts = KeptTexts(room: mostOfTexts)
        for (number, summary) in feeds.enumerated() { try read(summary, number, in: snapshot) }
        images.sort { $0.digest < $1.digest }
        // Of an image that several feeds have.
        var last: Digest?
        images.removeAll { image in
            defer { last = image.digest }
            return image.digest == last
        }
    }

    /// Returns when no text is in the making any more.
    func waitForTexts() { beside.wait() }

    private mutating func read(
        _ summary: FeedSummary, _ number: Int, in snapshot: any CacheSnapshot
    ) throws(FeedError) {
        let document = try PlannedDocument(of: summary, as: .document(number), in: texts)
        var layers: [Int64] = []
        var digests: Set<Digest> = []
        // Of the part that is under way.
        var part: [Layer] = []
        func keepPart() {
            let source = ExportPlan.Source.manifest(
                feed: number, part: (layers.count - 1) / OCILayout.layersOfManifest)
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
            guard let layer = Layer(image), digests.insert(layer.digest).inserted else { return }
            layers.append(layer.position)
            images.append(ExportPlan.Blob(digest: layer.digest, size: layer.size, source: .image))
            part.append(layer)
            if part.count == OCILayout.layersOfManifest { keepPart() }
        }
        if !part.isEmpty { keepPart() }
        beside.perform { [rows] in
            document.add(rows)
            document.finish()
        }
        feeds.append(PlannedFeed(summary: summary, document: document, layers: layers))
    }
}
