/// Suggests the known word that a mistyped one most likely means.
enum Suggestion {
    private static let greatestDistance = 2

    /// Maps options of curl and wget, and commands of git, restic and the shell, to ours that do the same under a
    /// different name.
    private static let namesElsewhere = [
        "retry": "retries", "silent": "quiet", "parallel-max": "jobs", "ca-certificate": "cacert",
        "no-check-certificate": "insecure", "rm": "remove", "delete": "remove", "forget": "remove", "fetch": "sync",
        "pull": "sync", "update": "sync", "prune": "validate", "check": "validate",
        "verify": "validate", "gc": "validate", "clean": "validate", "download": "sync",
        "search": "find", "grep": "find",
    ]

    /// Gives a whole sentence of advice if the name of our command would say too little.
    private static let adviceElsewhere = [
        "add": ("sync", "feedsync URL adds a feed: it fetches and saves it"),
        "list": ("status", listing), "ls": ("status", listing),
        "version": ("help", "feedsync --version prints the version"),
    ]
    private static let listing = "feedsync status lists the saved feeds"

    /// Returns "did you mean sync?", or nil if no known word is similar.
    ///
    /// `prefix` is printed before each word and is left out of the comparison.
    static func hint(for given: some StringProtocol, among known: [String], prefix: String = "") -> String? {
        if let (command, advice) = adviceElsewhere[given.lowercased()], known.contains(command) { return advice }
        let nearest = nearest(to: String(given), among: known).map { prefix + $0 }
        return nearest.isEmpty ? nil : "did you mean \(Phrases.list(nearest, "or"))?"
    }

    /// Returns the words that begin with `given`, or else the words with the fewest typing errors.
    private static func nearest(to given: String, among known: [String]) -> [String] {
        // Capital and small letters count as equal.
        let given = given.lowercased()
        let word = Array(given.unicodeScalars)
        guard !word.isEmpty else { return [] }
        if let name = namesElsewhere[given] {
            let own = known.filter { $0.lowercased() == name }
            guard own.isEmpty else { return own }
        }
        let completions = known.filter { $0.lowercased().hasPrefix(given) }
        guard completions.isEmpty else { return completions }
        let near = known.compactMap { candidate -> (word: String, distance: Int)? in
            let letters = Array(candidate.lowercased().unicodeScalars)
            // Words of very different lengths are skipped, so a long argument costs little.
            guard abs(letters.count - word.count) <= greatestDistance else { return nil }
            let distance = distance(word, letters)
            return distance <= greatestDistance && 2 * distance < letters.count ? (candidate, distance) : nil
        }
        let least = near.map(\.distance).min()
        return near.filter { $0.distance == least }.map(\.word)
    }

    /// Returns the Damerau–Levenshtein distance: a missing, extra, wrong or swapped letter counts one.
    static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let same = first[row] == second[column]
                var least = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
