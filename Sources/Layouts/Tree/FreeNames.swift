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

    /// Returns the free name, which differs from those that end in `ending` and are taken.
    mutating func path(for file: TreeFile, with ending: String? = nil) -> String {
        let first = SafeName.key(file.path())
        var number = numbers[first, default: 1]
        while !take(ifFree: file.path(number), with: ending) { number += 1 }
        numbers[first] = number + 1
        return file.path(number)
    }

    /// Takes a name.
    ///
    /// Returns false if it is not free.
    private mutating func take(ifFree path: String, with ending: String?) -> Bool {
        let key = SafeName.key(path)
        // A file system that ignores case would replace the old file and keep the old spelling.
        if let spelling = going[key], spelling != path { return false }
        if let ending, taken.contains(key + ending) { return false }
        return taken.insert(key).inserted
    }
}
