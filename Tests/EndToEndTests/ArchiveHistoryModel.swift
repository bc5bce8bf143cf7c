/// What a cache of one feed must contain, by simple rules.
///
/// The images are numbers, and the data of an image never changes.
struct ModelCache: Equatable {
    struct Feed: Equatable {
        var current: [Int] = []
        /// The images that have left the feed, each with whether a sync may request it.
        var kept: [Int: Bool] = [:]
        /// The moment of saving as `show --json` writes it; nil if only the program knows it.
        var savedAt: String?
        var keep: String?
        /// Whether an import brought the current images, and no sync has confirmed them.
        var isFromArchive = false

        var images: Set<Int> { Set(current).union(kept.keys) }

        mutating func remove(_ images: some Sequence<Int>) {
            for image in images {
                current.removeAll { $0 == image }
                kept[image] = nil
            }
        }
    }

    enum Damage: String, CaseIterable { case flipped, cut, deleted }
    enum Data: Equatable { case intact, damaged(Damage) }

    /// The feed; nil before the first sync or import.
    var feed: Feed?
    var removed: Set<Int> = []
    /// The data of the images that have some, also of images that have left the feed.
    var data: [Int: Data] = [:]

    var images: Set<Int> { feed?.images ?? [] }
    /// The images of the feed that have data.
    var withData: Set<Int> { images.filter { data[$0] != nil } }

    /// Follows a run, and returns its exit code.
    mutating func run(_ run: ModelRun) -> Int32 {
        switch run {
        case .sync(let served, let keep):
            sync(served, keep)
            return 0
        case .remove(let image): return remove(image)
        case .undo(let image): return removed.remove(image) == nil ? 66 : 0
        case .validate(let isDeep, let isRehearsal):
            var copy = self
            let code = copy.validate(isDeep)
            if !isRehearsal { self = copy }
            return code
        case .export(_, let older): return export(without: older).code
        case .importing(let archive, let restores):
            take(archive, restores)
            return 0
        }
    }

    private mutating func sync(_ served: [Int], _ keep: String?) {
        let old = feed ?? Feed()
        var new = Feed(current: served, kept: old.kept, keep: keep ?? old.keep)
        if new.keep == "none" { new.kept = [:] }
        if new.keep == "forever" { for image in old.current { new.kept[image] = !old.isFromArchive } }
        for image in served { new.kept[image] = nil }
        new.remove(removed)
        // A sync notices the size of a file and reads none.
        for image in new.current where data[image] != .damaged(.flipped) { data[image] = .intact }
        for (image, mayBeRequested) in new.kept where mayBeRequested && data[image] == nil { data[image] = .intact }
        feed = new
    }

    private mutating func remove(_ image: Int) -> Int32 {
        guard images.contains(image) else { return 66 }
        removed.insert(image)
        feed?.remove([image])
        deleteUnreferenced()
        return 0
    }

    private mutating func validate(_ isDeep: Bool) -> Int32 {
        if feed?.keep == "none" { feed?.kept = [:] }
        let damaged = images.filter { data[$0] == .damaged(.flipped) || data[$0] == .damaged(.cut) }
        if isDeep { for image in damaged { data[image] = nil } }
        deleteUnreferenced()
        return isDeep && !damaged.isEmpty ? 65 : 0
    }

    private mutating func deleteUnreferenced() {
        let images = images
        data = data.filter { images.contains($0.key) && $0.value != .damaged(.deleted) }
    }
}

/// A run of the program.
enum ModelRun {
    case sync([Int], keep: String?)
    case remove(Int), undo(Int)
    case validate(isDeep: Bool, isRehearsal: Bool)
    case export(String, without: [ModelArchive])
    case importing(ModelArchive, restores: Bool)
}

// MARK: - Archives

/// What an archive must contain.
struct ModelArchive {
    let path: String
    let feed: ModelCache.Feed
    let removed: Set<Int>
    /// The images with data, which a thin archive may leave out.
    let withData: Set<Int>
    /// The images whose data the archive contains.
    let blobs: Set<Int>
}

extension ModelCache {
    /// Returns the archive that an export writes, or the exit code of an export that fails.
    func export(to path: String = "", without older: [ModelArchive]) -> (archive: ModelArchive?, code: Int32) {
        guard let feed else { return (nil, 66) }
        let blobs = older.reduce(withData) { $0.subtracting($1.blobs) }
        guard blobs.allSatisfy({ data[$0] == .intact }) else { return (nil, 65) }
        return (ModelArchive(path: path, feed: feed, removed: removed, withData: withData, blobs: blobs), 0)
    }

    fileprivate mutating func take(_ archive: ModelArchive, _ restores: Bool) {
        let (old, other) = (feed ?? Feed(), archive.feed)
        let isLater = old.savedAt.map { $0 < other.savedAt ?? "" } ?? true
        var new = isLater ? other : old
        new.keep = restores && isLater ? other.keep : old.keep
        new.isFromArchive = !restores && (isLater || old.isFromArchive)
        new.kept = [:]
        let mirrors = new.keep == "forever"
        if mirrors || new.keep == nil && isLater && (feed == nil || restores) {
            for image in other.kept.keys { new.kept[image] = false }
        }
        if mirrors {
            let mayBeRequested = isLater ? !old.isFromArchive : restores
            for image in isLater ? old.current : other.current { new.kept[image] = mayBeRequested }
        }
        new.kept.merge(old.kept) { _, old in old }
        for image in new.current { new.kept[image] = nil }
        removed.formUnion(archive.removed)
        new.remove(removed)
        feed = new
        for image in archive.blobs.intersection(images) { data[image] = .intact }
    }
}
