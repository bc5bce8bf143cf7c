internal import FeedCore
internal import Hashing

/// The steps that bring the files of a gallery up to date.
struct GalleryPlan {
    enum Source {
        case image(StoredImage)
        case thumbnail(of: StoredImage)
        /// A page or a file beside the pages, from this group of `GalleryPages`. `bytes` is nil if the plan already
        /// holds too many bytes in memory.
        case page(group: Int, bytes: [UInt8]?)
    }

    struct Step {
        let path: String
        let content: FileContent
        let source: Source
    }

    private let directory: OutputDirectory
    /// The maximum total size of the pages that the plan holds in memory. Any further page is made again when it is
    /// written.
    private let maxHeldBytes: Int
    private var heldBytes = 0
    private(set) var new: [Step] = []
    private(set) var changed: [Step] = []
    /// The foreign files and directories that block paths of the gallery, each once.
    private(set) var obstacles: [(path: String, kind: OutputDirectory.Obstacle)] = []
    private var obstaclePaths: Set<String> = []
    /// The step that writes the index, which is the last one.
    private(set) var index: (step: Step, isReplacing: Bool)?

    init(_ directory: OutputDirectory, maxHeldBytes: Int) {
        self.directory = directory
        self.maxHeldBytes = maxHeldBytes
    }

    /// Announces the files that the steps will make.
    func announce() throws(FeedError) {
        let steps = new + changed + [index?.step].compactMap(\.self)
        if !steps.isEmpty { try directory.announce(steps.map { ($0.path, $0.content) }) }
    }

    /// Removes the pages from the plan, so that others can be added.
    mutating func removePages() {
        func isPage(_ step: Step) -> Bool { if case .page = step.source { true } else { false } }
        new.removeAll(where: isPage)
        changed.removeAll(where: isPage)
        index = nil
        heldBytes = 0
    }

    /// Adds a page, or a file beside the pages, unless it is up to date.
    mutating func add(_ file: SiteFile, ofGroup group: Int) throws(FeedError) {
        let size = file.bytes.count
        let isHeld = heldBytes + size <= maxHeldBytes
        let source = Source.page(group: group, bytes: isHeld ? file.bytes : nil)
        let isAdded = try add(file.name, size: Int64(size), from: source) { () throws(FeedError) in
            try SHA256.digest(of: file.bytes)
        }
        if isAdded, isHeld { heldBytes += size }
    }

    /// Adds a file of the gallery unless it is up to date. Returns whether there is a step for it now.
    @discardableResult
    mutating func add(
        _ path: String, size: Int64, from source: Source, isSizeEnough: Bool = false,
        digest: () throws(FeedError) -> Digest
    ) throws(FeedError) -> Bool {
        let isReplacing: Bool
        switch try directory.examine(path, size: size, isSizeEnough: isSizeEnough, digest: digest) {
        case .present: return false
        case .missing: isReplacing = false
        case .outdated: isReplacing = true
        case .foreign(let kind, let obstacle):
            if obstaclePaths.insert(obstacle).inserted { obstacles.append((obstacle, kind)) }
            isReplacing = true
        }
        let step = Step(path: path, content: FileContent(digest: try digest(), size: size), source: source)
        if path == GalleryPages.index {
            index = (step, isReplacing)
        } else if isReplacing {
            changed.append(step)
        } else {
            new.append(step)
        }
        return true
    }

    /// Throws if the plan needs to replace files that must be left alone. `given` is the path of the gallery as the
    /// user wrote it.
    func requireFreeWay(to given: String) throws(FeedError) {
        let blocking = directory.replacesForeign ? obstacles.filter { $0.kind == .directory } : obstacles
        guard !blocking.isEmpty else { return }
        let names = blocking.prefix(10).map(\.path).joined(separator: ", ")
        let more = blocking.count > 10 ? " and \(blocking.count - 10) more" : ""
        let reason = "\(given): feedsync did not make these files, or somebody changed them since: \(names)\(more)"
        if blocking.contains(where: { $0.kind == .directory }) {
            throw .storage(.cannotCreate, reason).hinting("a directory is in the way of a file; move it away")
        }
        var hint = "`feedsync gallery --force \(given)` replaces them"
        if case .foreign = try directory.state(of: ".feedsync-gallery") {
            hint += ", which a gallery of an older version needs once"
        }
        throw .storage(.cannotCreate, reason).hinting(hint)
    }
}
