internal import FeedCore

/// What a run has to do to bring the files of a gallery up to date.
struct GalleryPlan {
    enum Source {
        case image(StoredImage)
        case thumbnail(of: StoredImage)
        /// A page, or a file beside the pages, of this group in `GalleryPages`.
        case page(group: Int)
    }

    struct Step {
        let path: String
        let content: FileContent
        let source: Source
    }

    private let directory: OutputDirectory
    private(set) var new: [Step] = []
    private(set) var changed: [Step] = []
    /// The foreign files that are in the way, each once.
    private(set) var obstacles: [(path: String, kind: OutputDirectory.Obstacle)] = []
    private var obstructed: Set<String> = []
    /// The index, which comes last.
    private(set) var index: (step: Step, isReplacing: Bool)?

    init(_ directory: OutputDirectory) { self.directory = directory }

    /// Tells the directory what is about to be made.
    func announce() throws(FeedError) {
        let steps = new + changed + [index?.step].compactMap(\.self)
        if !steps.isEmpty { try directory.announce(steps.map { ($0.path, $0.content) }) }
    }

    /// Removes the pages from the plan, for others to be added.
    mutating func removePages() {
        func isPage(_ step: Step) -> Bool { if case .page = step.source { true } else { false } }
        new.removeAll(where: isPage)
        changed.removeAll(where: isPage)
        index = nil
    }

    /// Compares a file of the gallery with what is there, and notes what there is to do.
    mutating func add(
        _ path: String, size: Int64, from source: Source, isSizeEnough: Bool = false,
        digest: () throws(FeedError) -> Digest
    ) throws(FeedError) {
        let isReplacing: Bool
        switch try directory.examine(path, size: size, isSizeEnough: isSizeEnough, digest: digest) {
        case .present: return
        case .missing: isReplacing = false
        case .outdated: isReplacing = true
        case .foreign(let kind, let place):
            if obstructed.insert(place).inserted { obstacles.append((place, kind)) }
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
    }

    /// Throws if files are in the way that may not be replaced. `given` is the directory as the user named it.
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
