/// Gives each file the first of its names that is free, ignoring case.
struct FreeNames {
    /// The taken names, each with the number that the next file of the same name tries first.
    private var taken: [String: Int32] = [:]
    /// The exact spelling of the names of files that are going to be deleted.
    private var going: [String: String] = [:]

    init(going paths: [String] = []) {
        for path in paths { going[SafeName.key(path)] = path }
    }

    mutating func take(_ path: String) { taken[SafeName.key(path)] = 2 }

    /// Returns the free name, which differs from those that end in `ending` and are taken.
    mutating func path(for file: TreeFile, with ending: String? = nil) -> String {
        let first = SafeName.key(file.path())
        var number = taken[first] ?? 1
        while true {
            let path = file.path(Int(number))
            let key = SafeName.key(path)
            number += 1
            guard taken[key] == nil, isFree(key, path, ending) else { continue }
            taken[key] = 2
            taken[first] = number
            return path
        }
    }

    /// Returns whether a name that is not taken is free.
    private func isFree(_ key: String, _ path: String, _ ending: String?) -> Bool {
        // A file system that ignores case would replace the old file and keep the old spelling.
        if let spelling = going[key], spelling != path { return false }
        return ending.map { taken[key + $0] == nil } ?? true
    }
}
