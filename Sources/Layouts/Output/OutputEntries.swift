internal import FeedCore
internal import Glibc

/// The digest and size of a file, by which two files are compared.
struct FileContent: Hashable {
    let digest: Digest
    let size: Int64
}

/// The time of a file's last change, as exactly as its file system knows it.
struct FileTime: Hashable {
    let seconds: Int
    let nanoseconds: Int32
}

extension stat {
    var modified: FileTime {
        FileTime(seconds: st_mtim.tv_sec, nanoseconds: Int32(truncatingIfNeeded: st_mtim.tv_nsec))
    }
}

/// A file that feedsync made in an output directory.
struct OwnFile: Hashable {
    let content: FileContent
    var modified: FileTime
}

/// What is known about one path.
struct OutputEntry {
    /// The file that the last run left there.
    var own: OwnFile?
    /// The content that a run was about to give the file; the run may have been killed before or after that.
    ///
    /// A run that is about to rename or delete the file gives it the content that it has. So a file that is missing
    /// without this mark was deleted by the user.
    var planned: FileContent?
    /// Whether the current run wants the file.
    var isWanted = false
    /// The purpose of a file in a tree.
    var purpose: TreePurpose?

    /// Makes the entry of an own file that the current run wants.
    static func wanted(_ own: OwnFile, _ purpose: TreePurpose?) -> OutputEntry {
        OutputEntry(own: own, planned: nil, isWanted: true, purpose: purpose)
    }
}

/// The entries of a list of own files, by their paths.
///
/// They lie in one array beside a dictionary of their positions. A dictionary of the entries themselves would need twice
/// the memory for a tree of 100,000 images.
struct OutputEntries {
    private var positions: [String: Int32] = [:]
    /// The paths in the order of the entries.
    private(set) var paths: [String] = []
    private var entries: [OutputEntry] = []

    var count: Int { paths.count }
    var isEmpty: Bool { paths.isEmpty }

    mutating func reserveCapacity(_ count: Int) {
        positions.reserveCapacity(count)
        paths.reserveCapacity(count)
        entries.reserveCapacity(count)
    }

    subscript(path: String) -> OutputEntry? {
        get { positions[path].map { entries[Int($0)] } }
        set {
            if let entry = newValue {
                self[path, default: entry] = entry
            } else {
                remove(path)
            }
        }
    }

    subscript(path: String, default entry: @autoclosure () -> OutputEntry) -> OutputEntry {
        get { self[path] ?? entry() }
        _modify {
            yield &entries[position(of: path, adding: entry)]
        }
    }

    private mutating func position(of path: String, adding entry: () -> OutputEntry) -> Int {
        if let position = positions[path] { return Int(position) }
        positions[path] = Int32(paths.count)
        paths.append(path)
        entries.append(entry())
        return paths.count - 1
    }

    /// Removes an entry.
    ///
    /// The last entry takes its position.
    private mutating func remove(_ path: String) {
        guard let position = positions.removeValue(forKey: path), let last = paths.popLast(),
            let moved = entries.popLast()
        else { return }
        guard last != path else { return }
        paths[Int(position)] = last
        entries[Int(position)] = moved
        positions[last] = position
    }
}

extension OutputEntries: Sequence {
    func makeIterator() -> Zip2Sequence<[String], [OutputEntry]>.Iterator { zip(paths, entries).makeIterator() }
}
