internal import FeedCore

/// An existing file of the tree that may be a wanted one.
struct FoundFile {
    let path: String
    let file: OwnFile
    /// The purpose of an own file; nil for a foreign file that feedsync can adopt, and in a list of an older version.
    var purpose: TreePurpose?
    /// Whether feedsync made the file.
    ///
    /// Otherwise feedsync can adopt it.
    let isOwn: Bool

    var isSidecar: Bool { purpose == .sidecar || purpose == nil && path.hasSuffix(Sidecar.ending) }
}

/// The files on the list of a tree, as they are now.
struct ExistingFiles {
    private(set) var own: [FoundFile] = []
    /// The paths of files that a power cut left empty.
    private(set) var unfinished: [String] = []
    /// The paths of files that feedsync made and that were changed since.
    private(set) var changed: [String] = []
    /// The paths of the missing files in a list of an older version, by the digests of their images.
    private var missing: [Digest: [String]] = [:]
    /// What the tree remembers about its feeds, with the files that the user has deleted meanwhile.
    var memory: TreeMemory

    /// Examines every file on the list.
    ///
    /// A missing file was deleted by the user, and stays deleted, if any other file of the tree exists.
    init(in directory: OutputDirectory) throws(FeedError) {
        memory = directory.list.memory
        own.reserveCapacity(directory.list.entries.count)
        var deleted: [(path: String, entry: OutputEntry)] = []
        var gone: [String] = []
        var isAnyThere = false
        for (index, (path, entry)) in directory.list.entries.enumerated() {
            if index % 256 == 0, Task.isCancelled { throw .cancelled }
            switch try directory.state(of: path, entry) {
            case .own(let file):
                own.append(FoundFile(path: path, file: file, purpose: entry.purpose, isOwn: true))
                isAnyThere = true
            case .unfinished: unfinished.append(path)
            case .missing:
                gone.append(path)
                if entry.own != nil, entry.planned == nil { deleted.append((path, entry)) }
            case .foreign:
                gone.append(path)
                guard entry.own != nil else { break }
                changed.append(path)
                isAnyThere = true
            }
        }
        changed.sort()
        // A tree that had no file before has nothing that the user could have deleted as a whole.
        if isAnyThere || deleted.isEmpty {
            for (path, entry) in deleted { remember(path, entry, in: directory.list) }
        } else {
            forgetDeletions(in: Set(memory.feeds.keys))
        }
        // The memory has the deletions from now on. If this run is killed after it has made files, the next run must not
        // see a further deletion in these entries.
        directory.forget(gone)
    }

    private mutating func remember(_ path: String, _ entry: OutputEntry, in list: OutputList) {
        switch entry.purpose {
        case .image(let feed, _):
            if let digest = entry.own?.content.digest { memory.feeds[feed]?.deletedImages.insert(digest) }
        case .sidecar:
            guard let image = list.entries[String(path.dropLast(Sidecar.ending.count))],
                case .image(let feed, _) = image.purpose, let digest = image.own?.content.digest
            else { break }
            memory.feeds[feed]?.deletedSidecars.insert(digest)
        case nil:
            if let digest = entry.own?.content.digest { missing[digest, default: []].append(path) }
        }
    }

    /// Lets the deleted files of these feeds be laid out again.
    mutating func forgetDeletions(in feeds: Set<FeedTag>) {
        missing = [:]
        for feed in feeds {
            memory.feeds[feed]?.deletedImages = []
            memory.feeds[feed]?.deletedSidecars = []
        }
    }

    /// Returns whether the user deleted the file of an image.
    mutating func isDeleted(_ file: TreeFile) -> Bool {
        let digest = file.content.digest
        if memory.feeds[file.tag]?.deletedImages.contains(digest) == true { return true }
        guard missing[digest]?.contains(where: file.canHave) == true else { return false }
        memory.feeds[file.tag]?.deletedImages.insert(digest)
        return true
    }

    func isSidecarDeleted(of file: TreeFile) -> Bool {
        memory.feeds[file.tag]?.deletedSidecars.contains(file.content.digest) == true
    }

    /// Notes that the file of an image exists, although the user deleted it before.
    mutating func noteReturn(of file: TreeFile) {
        memory.feeds[file.tag]?.deletedImages.remove(file.content.digest)
    }
}
