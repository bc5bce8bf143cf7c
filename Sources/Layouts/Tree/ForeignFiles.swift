internal import FeedCore

/// The foreign files in the directories of some wanted files.
struct ForeignFiles {
    private(set) var paths: [String] = []

    init(
        besides own: [FoundFile], beside wanted: [TreeFile], in directory: OutputDirectory
    ) throws(FeedError) {
        let own = Set(own.map(\.path))
        for above in Set(wanted.map(\.directory)) {
            for name in try directory.names(in: above) {
                let path = above.isEmpty ? name : "\(above)/\(name)"
                if !own.contains(path) { paths.append(path) }
            }
        }
    }

    /// Finds foreign files that have a wanted name and the wanted bytes.
    ///
    /// It reads at most as many bytes as all wanted files have, because the number of foreign files is unlimited.
    func adoptable(for wanted: [TreeFile], in directory: OutputDirectory) throws(FeedError) -> [FoundFile] {
        guard !paths.isEmpty else { return [] }
        var contents: [String: Set<FileContent>] = [:]
        for file in wanted { contents[file.path(), default: []].insert(file.content) }
        var budget = wanted.reduce(0) { $0 + $1.content.size }
        var adoptable: [FoundFile] = []
        for path in paths {
            let candidates = Self.firstPaths(of: path).compactMap { contents[$0] }
            guard !candidates.isEmpty, case .foreign(.file(let size), _) = try directory.state(of: path),
                size <= budget, candidates.contains(where: { $0.contains { $0.size == size } })
            else { continue }
            budget -= size
            guard let file = try directory.foreignFile(path, size: size) else { continue }
            if candidates.contains(where: { $0.contains(file.content) }) {
                adoptable.append(FoundFile(path: path, file: file, isOwn: false))
            }
        }
        return adoptable
    }

    /// Returns the first paths of the files that can have this path: `a/b (2).jpg` is the second `a/b.jpg`, or the
    /// first file whose title ends in `(2)`.
    static func firstPaths(of path: String) -> [String] {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return [path] }
        let stem = path[..<dot]
        guard stem.utf8.last == UInt8(ascii: ")"), let open = stem.utf8.lastIndex(of: UInt8(ascii: "(")) else {
            return [path]
        }
        let digits = String(stem[stem.utf8.index(after: open)...].dropLast())
        let before = stem[..<open]
        guard let number = Int(digits), number > 1, String(number) == digits, before.utf8.last == UInt8(ascii: " ")
        else {
            return [path]
        }
        return [path, String(before.dropLast()) + path[dot...]]
    }
}
