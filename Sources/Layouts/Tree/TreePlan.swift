internal import FeedCore

/// The steps that bring a tree up to date.
///
/// Planning takes time in proportion to the number of wanted and existing files.
struct TreePlan {
    struct NewFile {
        /// The position of the file in `files`.
        let file: Int
        let path: String
        let content: FileContent
        /// Whether the file replaces an own file that is going to be deleted.
        let isReplacing: Bool
    }

    /// The wanted files of images.
    private(set) var files: [TreeFile]
    /// The number of own files that stay as they are.
    private(set) var kept = 0
    private(set) var moves: [TreeMove] = []
    private(set) var added: [NewFile] = []
    private(set) var sidecars: [NewFile] = []
    /// The paths of own files to delete.
    private(set) var removed: [String] = []
    /// The paths of files that feedsync made and that were changed since.
    private(set) var changedByOthers: [String] = []
    /// The paths of files whose images have another date now.
    private(set) var redated: [(path: String, date: Timestamp)] = []
    /// What the tree remembers about its feeds from now on.
    private(set) var memory = TreeMemory()
    /// The paths that the wanted files have, and get; nil for a file that is not laid out.
    private var paths: [String?]
    private var formerPaths: [Int: String] = [:]

    init(_ feeds: [GalleryFeed], _ options: TreeOptions, in directory: OutputDirectory) throws(FeedError) {
        var existing = try ExistingFiles(in: directory)
        files = try Self.wanted(feeds, options, &existing)
        try Self.resolveDirectories(of: &files, in: directory)
        changedByOthers = existing.changed
        removed = existing.unfinished
        paths = Array(repeating: nil, count: files.count)

        var matching = TreeMatching(existing.own)
        let unmatched = keep(&matching, in: directory)
        if !unmatched.isEmpty { try place(unmatched, &matching, &existing, options, in: directory) }
        removed += matching.rest.map(\.path)
        try planSidecars(feeds, options, existing, in: directory)
        removed.sort()
        memory = existing.memory
        memory.trim(keeping: Set(files.map(\.tag)))
    }

    /// Returns the files that a tree of these feeds has, apart from sidecars.
    private static func wanted(
        _ feeds: [GalleryFeed], _ options: TreeOptions, _ existing: inout ExistingFiles
    ) throws(FeedError) -> [TreeFile] {
        if options.laysOutDeleted {
            var tags: Set<FeedTag> = []
            for feed in feeds { tags.insert(try FeedTag(feed.url)) }
            existing.forgetDeletions(in: tags)
        }
        var naming = TreeNaming(options.template)
        var files: [TreeFile] = []
        for (index, feed) in feeds.enumerated() {
            if Task.isCancelled { throw .cancelled }
            files += try naming.files(of: feed, at: index, newest: options.newest, numbering: &existing.memory)
        }
        return files
    }

    /// Gives each directory whose path is blocked by something else the next free name, as files get it.
    private static func resolveDirectories(
        of files: inout [TreeFile], in directory: OutputDirectory
    ) throws(FeedError) {
        var resolved: [String: String] = [:]
        for index in files.indices {
            let path = files[index].directory
            if let known = resolved[path] {
                if known != path { files[index].directory = known }
                continue
            }
            var result = ""
            for name in FilePath.names(in: path) {
                let above = result.isEmpty ? "" : "\(result)/"
                var number = 1
                repeat {
                    result = above + (number == 1 ? String(name) : "\(name) (\(number))")
                    number += 1
                } while try !directory.canBeDirectory(result)
            }
            resolved[path] = result
            files[index].directory = result
        }
    }

    /// Keeps the files that have one of their names, and returns the positions of the others.
    private mutating func keep(_ matching: inout TreeMatching, in directory: OutputDirectory) -> [Int] {
        var unmatched: [Int] = []
        for (index, file) in files.enumerated() {
            if let match = matching.take(named: file) {
                keep(match, as: index, in: directory)
            } else {
                unmatched.append(index)
            }
        }
        return unmatched
    }

    private mutating func keep(_ match: FoundFile, as index: Int, in directory: OutputDirectory) {
        directory.keep(match.file, at: match.path, files[index].purpose)
        noteDate(of: match, as: index, at: match.path)
        paths[index] = match.path
        kept += 1
    }

    private mutating func noteDate(of match: FoundFile, as index: Int, at path: String) {
        if case .image(_, let date) = match.purpose, date != files[index].date {
            redated.append((path, files[index].date))
        }
    }

    // MARK: Paths

    /// Gives a path to each file that has none of its names so far: it is adopted, renamed or made.
    private mutating func place(
        _ unmatched: [Int], _ matching: inout TreeMatching, _ existing: inout ExistingFiles, _ options: TreeOptions,
        in directory: OutputDirectory
    ) throws(FeedError) {
        let foreign = try ForeignFiles(besides: existing.own, beside: unmatched.map { files[$0] }, in: directory)
        var adoptable = TreeMatching(try foreign.adoptable(for: unmatched.map { files[$0] }, in: directory))
        var renamed: [Int: FoundFile] = [:]
        var rest: [Int] = []
        for index in unmatched {
            if let match = adoptable.take(named: files[index]) {
                existing.noteReturn(of: files[index])
                keep(match, as: index, in: directory)
            } else if let match = matching.takeRenamed(files[index]) {
                renamed[index] = match
            } else if !existing.isDeleted(files[index]), !files[index].isLost {
                rest.append(index)
            }
        }
        for index in rest { renamed[index] = matching.takeLeftover(files[index]) }
        let going = removed + matching.rest.map(\.path)
        var free = FreeNames(going: going)
        for path in foreign.paths { free.take(path) }
        for path in paths { if let path { free.take(path) } }
        assign(unmatched.filter { renamed[$0] != nil }, rest, renamed, &free, Set(going), options)
    }

    private mutating func assign(
        _ moving: [Int], _ rest: [Int], _ renamed: [Int: FoundFile], _ free: inout FreeNames, _ going: Set<String>,
        _ options: TreeOptions
    ) {
        for index in Set(moving + rest).sorted() {
            let path = free.path(for: files[index], with: options.writesSidecars ? Sidecar.ending : nil)
            let isReplacing = going.contains(path)
            paths[index] = path
            if let former = renamed[index] {
                moves.append(
                    TreeMove(
                        from: former.path, to: path, isReplacing: isReplacing, purpose: files[index].purpose))
                formerPaths[index] = former.path
                noteDate(of: former, as: index, at: path)
            } else {
                added.append(
                    NewFile(file: index, path: path, content: files[index].content, isReplacing: isReplacing))
            }
        }
    }

    // MARK: Sidecars

    private mutating func planSidecars(
        _ feeds: [GalleryFeed], _ options: TreeOptions, _ existing: ExistingFiles, in directory: OutputDirectory
    ) throws(FeedError) {
        var own: [String: FoundFile] = [:]
        for file in existing.own where file.isSidecar { own[file.path] = file }
        for (index, file) in files.enumerated() where options.writesSidecars {
            guard let image = paths[index], !existing.isSidecarDeleted(of: file) else { continue }
            let path = image + Sidecar.ending
            let content = try Sidecar(of: feeds[file.feed].images[file.position].image, date: file.date).content
            if let found = own.removeValue(forKey: path) {
                try planSidecar(found, content, of: index, in: directory)
            } else if let former = formerPaths[index], let found = own[former + Sidecar.ending],
                found.file.content == content, case .missing = try directory.state(of: path)
            {
                own[found.path] = nil
                moves.append(TreeMove(from: found.path, to: path, purpose: .sidecar))
            } else {
                let finding = try directory.examine(path, size: content.size, .sidecar) { content.digest }
                switch finding {
                case .present: kept += 1
                case .missing:
                    sidecars.append(NewFile(file: index, path: path, content: content, isReplacing: false))
                case .outdated:
                    sidecars.append(NewFile(file: index, path: path, content: content, isReplacing: true))
                case .foreign: break
                }
            }
        }
        removed += own.keys
    }

    private mutating func planSidecar(
        _ found: FoundFile, _ content: FileContent, of index: Int, in directory: OutputDirectory
    ) throws(FeedError) {
        if found.file.content == content {
            directory.keep(found.file, at: found.path, .sidecar)
            kept += 1
        } else {
            sidecars.append(NewFile(file: index, path: found.path, content: content, isReplacing: true))
            removed.append(found.path)
        }
    }
}
