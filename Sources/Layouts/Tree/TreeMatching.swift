internal import FeedCore

/// Finds an existing file for each wanted one: it has the same bytes.
///
/// A file of the same feed is better than one whose feed is unknown, and both are better than a file of another feed.
struct TreeMatching {
    private let found: [FoundFile]
    private var isTaken: [Bool]
    /// The first file of each subject, and of each digest without a known feed.
    private var bySubject: [TreeSubject: Int32] = [:]
    private var byDigest: [Digest: Int32] = [:]
    /// The next file of the same subject or digest; -1 at the last one.
    private var next: [Int32]
    /// The files that no subject took, by their digests.
    private var leftovers: [Digest: [Int]]?
    /// The number of files examined so far.
    private(set) var steps = 0

    init(_ found: [FoundFile]) {
        self.found = found
        isTaken = Array(repeating: false, count: found.count)
        next = Array(repeating: -1, count: found.count)
        bySubject.reserveCapacity(found.count)
        for (index, file) in found.enumerated().reversed() where !file.isSidecar {
            let digest = file.file.content.digest
            if case .image(let feed, _) = file.purpose {
                let subject = TreeSubject(feed: feed, digest: digest)
                next[index] = bySubject[subject] ?? -1
                bySubject[subject] = Int32(index)
            } else {
                next[index] = byDigest[digest] ?? -1
                byDigest[digest] = Int32(index)
            }
        }
    }

    /// The files that match no wanted file so far, without sidecars.
    var rest: [FoundFile] { found.indices.filter { !isTaken[$0] && !found[$0].isSidecar }.map { found[$0] } }

    /// Returns a file that has one of the names of the wanted file, and excludes it from further matches.
    mutating func take(named file: TreeFile) -> FoundFile? {
        best(from: bySubject[file.subject], for: file) ?? best(from: byDigest[file.content.digest], for: file)
    }

    /// Returns a file of the same image under any name, and excludes it from further matches.
    mutating func takeRenamed(_ file: TreeFile) -> FoundFile? {
        var index = bySubject[file.subject] ?? -1
        while index >= 0 {
            steps += 1
            if !isTaken[Int(index)] { return take(Int(index)) }
            index = next[Int(index)]
        }
        return nil
    }

    /// Returns an own file with the same bytes that matched no image, and excludes it from further matches.
    mutating func takeLeftover(_ file: TreeFile) -> FoundFile? {
        if leftovers == nil {
            var all: [Digest: [Int]] = [:]
            for (index, other) in found.enumerated().reversed()
            where !isTaken[index] && other.isOwn && !other.isSidecar {
                all[other.file.content.digest, default: []].append(index)
            }
            leftovers = all
        }
        while let index = leftovers?[file.content.digest]?.popLast() {
            steps += 1
            if !isTaken[index] { return take(index) }
        }
        return nil
    }

    /// Returns the file with the lowest number, own files before foreign ones.
    private mutating func best(from first: Int32?, for file: TreeFile) -> FoundFile? {
        var index = first ?? -1
        var best: Int?
        while index >= 0 {
            steps += 1
            let candidate = Int(index)
            index = next[candidate]
            guard !isTaken[candidate], file.canHave(found[candidate].path) else { continue }
            if let known = best, Self.rank(found[known]) <= Self.rank(found[candidate]) { continue }
            best = candidate
        }
        return best.map { take($0) }
    }

    private static func rank(_ file: FoundFile) -> (Int, Int, String) {
        (file.isOwn ? 0 : 1, file.path.utf8.count, file.path)
    }

    private mutating func take(_ index: Int) -> FoundFile {
        isTaken[index] = true
        return found[index]
    }
}
