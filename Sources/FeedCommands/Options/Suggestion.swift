/// Guesses which known word a mistyped one stands for.
enum Suggestion {
    private static let greatestDistance = 2

    /// Options of curl and wget, commands of git, restic and the shell, and ours that do the same, where the names are not
    /// alike.
    private static let namesElsewhere = [
        "retry": "retries", "silent": "quiet", "parallel-max": "jobs", "ca-certificate": "cacert",
        "no-check-certificate": "insecure", "rm": "remove", "delete": "remove", "forget": "remove", "fetch": "sync",
        "pull": "sync", "update": "sync", "prune": "validate", "check": "validate",
    ]

    /// Where the name of our command says too little.
    private static let adviceElsewhere = [
        "add": ("sync", "feedsync URL adds a feed: it fetches and saves it"),
        "list": ("status", listing), "ls": ("status", listing),
    ]
    private static let listing = "feedsync status lists the saved feeds"

    /// "did you mean sync?", or nil if nothing is near. `prefix` is what each word is written with and what doesn't make
    /// any two of them alike.
    static func hint(for given: some StringProtocol, among known: [String], prefix: String = "") -> String? {
        if let (command, advice) = adviceElsewhere[given.lowercased()], known.contains(command) { return advice }
        let nearest = nearest(to: String(given), among: known).map { prefix + $0 }
        return nearest.isEmpty ? nil : "did you mean \(Phrases.list(nearest, "or"))?"
    }

    /// The words that `given` is the beginning of, else those fewest typing slips away.
    private static func nearest(to given: String, among known: [String]) -> [String] {
        // Whichever way they are written, letters are meant.
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
            // Nothing long is compared, however long the given word is.
            guard abs(letters.count - word.count) <= greatestDistance else { return nil }
            let distance = distance(word, letters)
            return distance <= greatestDistance && 2 * distance < letters.count ? (candidate, distance) : nil
        }
        let least = near.map(\.distance).min()
        return near.filter { $0.distance == least }.map(\.word)
    }

    /// Damerau–Levenshtein with adjacent swaps: a letter too many, too few, wrong, or two swapped count one each.
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
