/// The entries of a list of own files, by their paths.
///
/// They lie in one array beside a dictionary of their positions. A dictionary of the entries themselves would need twice
/// the memory for a tree of 100,000 images.
struct OutputEntries {
    private var positions: [String: Int32] = [:]
    /// The paths in the order of the entries.
    private(set) var paths: [String] = []
    private var entries: [OutputList.Entry] = []

    var count: Int { paths.count }
    var isEmpty: Bool { paths.isEmpty }

    mutating func reserveCapacity(_ count: Int) {
        positions.reserveCapacity(count)
        paths.reserveCapacity(count)
        entries.reserveCapacity(count)
    }

    subscript(path: String) -> OutputList.Entry? {
        get { positions[path].map { entries[Int($0)] } }
        set {
            if let entry = newValue {
                self[path, default: entry] = entry
            } else {
                remove(path)
            }
        }
    }

    subscript(path: String, default entry: @autoclosure () -> OutputList.Entry) -> OutputList.Entry {
        get { self[path] ?? entry() }
        _modify {
            yield &entries[position(of: path, adding: entry)]
        }
    }

    private mutating func position(of path: String, adding entry: () -> OutputList.Entry) -> Int {
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
    func makeIterator() -> Zip2Sequence<[String], [OutputList.Entry]>.Iterator { zip(paths, entries).makeIterator() }
}
