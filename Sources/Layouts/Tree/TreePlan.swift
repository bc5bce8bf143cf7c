internal import FeedCore

/// The steps that bring a tree up to date.
///
/// Planning takes time in proportion to the number of wanted and existing files.
struct TreePlan {
    struct Step {
        let file: TreeFile
        let path: String
        /// Whether the file replaces an own file that is going to be deleted.
        let isReplacing: Bool
    }

    /// The number of own files that stay as they are.
    private(set) var kept = 0
    private(set) var added: [Step] = []
    /// The paths of own files to delete.
    private(set) var removed: [String] = []
    /// The paths of files that feedsync made and that were changed since.
    private(set) var changedByOthers: [String] = []

    init(_ files: [TreeFile], in directory: OutputDirectory) throws(FeedError) {
        let wanted = try Self.resolvingDirectories(of: files, in: directory)
        var names: [String: [String]] = [:]
        for path in Set(wanted.map(\.directory)) { names[path] = try directory.names(in: path) }

        var found = try findOwnFiles(in: directory)
        let own = Set(found.map(\.path))
        found += try Self.adoptable(names, besides: own, for: wanted, in: directory)

        var matching = TreeMatching(found)
        var unmatched: [TreeFile] = []
        for file in wanted {
            if let match = matching.take(file) {
                directory.keep(match.file, at: match.path)
                kept += 1
            } else {
                unmatched.append(file)
            }
        }
        removed += matching.rest.filter(\.isOwn).map(\.path)
        removed.sort()
        added = steps(for: unmatched, besides: names)
    }

    /// Returns the own files on the list, and notes the unfinished and the changed ones.
    private mutating func findOwnFiles(in directory: OutputDirectory) throws(FeedError) -> [FoundFile] {
        var found: [FoundFile] = []
        for path in directory.list.entries.keys.sorted() {
            if Task.isCancelled { throw .cancelled }
            switch try directory.state(of: path) {
            case .own(let own): found.append(FoundFile(path: path, file: own, isOwn: true))
            case .unfinished: removed.append(path)
            case .missing: break
            case .foreign: if directory.list.entries[path]?.own != nil { changedByOthers.append(path) }
            }
        }
        return found
    }

    /// Gives each new file a free path.
    ///
    /// `names` has the existing names of each directory.
    private func steps(for files: [TreeFile], besides names: [String: [String]]) -> [Step] {
        let going = Set(removed)
        var free = FreeNames(going: removed)
        for (above, names) in names {
            for name in names {
                let path = above.isEmpty ? name : "\(above)/\(name)"
                if !going.contains(path) { free.take(path) }
            }
        }
        return files.map { file in
            let path = free.path(for: file)
            return Step(file: file, path: path, isReplacing: going.contains(path))
        }
    }

    /// Gives each directory whose path is blocked by something else the next free name, as files get it.
    private static func resolvingDirectories(
        of files: [TreeFile], in directory: OutputDirectory
    ) throws(FeedError) -> [TreeFile] {
        var resolved: [String: String] = [:]
        for path in Set(files.map(\.directory)) {
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
        }
        return files.map { file in
            var file = file
            file.directory = resolved[file.directory] ?? file.directory
            return file
        }
    }

    /// Finds foreign files that have a wanted name and the wanted bytes.
    ///
    /// It reads at most as many bytes as all wanted files have, because the number of foreign files is unlimited.
    private static func adoptable(
        _ names: [String: [String]], besides own: Set<String>, for wanted: [TreeFile], in directory: OutputDirectory
    ) throws(FeedError) -> [FoundFile] {
        var contents: [String: Set<FileContent>] = [:]
        for file in wanted { contents[file.path(), default: []].insert(file.content) }
        var budget = wanted.reduce(0) { $0 + $1.image.size }
        var adoptable: [FoundFile] = []
        for (above, names) in names {
            for name in names {
                let path = above.isEmpty ? name : "\(above)/\(name)"
                let candidates = TreeFile.firstPaths(of: path).compactMap { contents[$0] }
                guard !candidates.isEmpty, !own.contains(path),
                    case .foreign(.file(let size), _) = try directory.state(of: path), size <= budget,
                    candidates.contains(where: { $0.contains { $0.size == size } })
                else { continue }
                budget -= size
                guard let file = try directory.foreignFile(path, size: size) else { continue }
                if candidates.contains(where: { $0.contains(file.content) }) {
                    adoptable.append(FoundFile(path: path, file: file, isOwn: false))
                }
            }
        }
        return adoptable
    }
}

extension TreeFile {
    var content: FileContent { FileContent(digest: image.digest, size: image.size) }
}

/// An existing file of the tree that may be a wanted one.
struct FoundFile {
    let path: String
    let file: OwnFile
    /// Whether feedsync made the file.
    ///
    /// Otherwise feedsync can adopt it.
    let isOwn: Bool
}

/// Finds an existing file for each wanted one: it has the same bytes and one of the names that the wanted file can
/// have.
struct TreeMatching {
    private struct CandidateKey: Hashable {
        let digest: Digest
        let firstPath: String
    }

    private let found: [FoundFile]
    /// The indices of the files that can match, in reverse order: the best candidate is the last.
    private var candidates: [CandidateKey: [Int]] = [:]
    private var isTaken: [Bool]
    /// The number of candidates examined so far.
    private(set) var steps = 0

    init(_ found: [FoundFile]) {
        // Own files come before foreign ones, and lower numbers before higher ones.
        self.found = found.sorted { left, right in
            (left.isOwn ? 0 : 1, left.path.utf8.count, left.path) < (
                right.isOwn ? 0 : 1, right.path.utf8.count, right.path
            )
        }
        isTaken = Array(repeating: false, count: found.count)
        for index in self.found.indices.reversed() {
            for path in TreeFile.firstPaths(of: self.found[index].path) {
                let key = CandidateKey(digest: self.found[index].file.content.digest, firstPath: path)
                candidates[key, default: []].append(index)
            }
        }
    }

    /// The files that match no wanted file so far.
    var rest: [FoundFile] { found.indices.filter { !isTaken[$0] }.map { found[$0] } }

    /// Returns the best matching file, and excludes it from further matches.
    mutating func take(_ file: TreeFile) -> FoundFile? {
        let key = CandidateKey(digest: file.image.digest, firstPath: file.path())
        while let index = candidates[key]?.popLast() {
            steps += 1
            // A file that is a candidate under two names may be taken already.
            guard !isTaken[index] else { continue }
            isTaken[index] = true
            return found[index]
        }
        return nil
    }
}

/// Gives each file the first of its names that is free, ignoring case.
struct FreeNames {
    private var taken: Set<String> = []
    private var numbers: [String: Int] = [:]
    /// The exact spelling of the names of files that are going to be deleted.
    private var going: [String: String] = [:]

    init(going paths: [String] = []) {
        for path in paths { going[SafeName.key(path)] = path }
    }

    mutating func take(_ path: String) { taken.insert(SafeName.key(path)) }

    mutating func path(for file: TreeFile) -> String {
        let first = SafeName.key(file.path())
        var number = numbers[first, default: 1]
        while !take(ifFree: file.path(number)) { number += 1 }
        numbers[first] = number + 1
        return file.path(number)
    }

    /// Takes a name.
    ///
    /// Returns false if it is not free.
    private mutating func take(ifFree path: String) -> Bool {
        let key = SafeName.key(path)
        // A file system that ignores case would replace the old file and keep the old spelling.
        if let spelling = going[key], spelling != path { return false }
        return taken.insert(key).inserted
    }
}
