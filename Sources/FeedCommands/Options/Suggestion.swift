/// What was probably meant by a word that isn't known.
enum Suggestion {
    private static let greatestDistance = 2

    /// "did you mean sync?", or nil if nothing is near.
    static func hint(for given: String, among known: [String]) -> String? {
        let nearest = nearest(to: given, among: known)
        guard let last = nearest.last else { return nil }
        let others = nearest.dropLast().joined(separator: ", ")
        return "did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
    }

    /// The words that `given` is the beginning of, else those fewest typing slips away.
    private static func nearest(to given: String, among known: [String]) -> [String] {
        let word = Array(given.unicodeScalars)
        guard word.contains(where: { $0 != "-" }) else { return [] }
        let completions = known.filter { $0.hasPrefix(given) }
        guard completions.isEmpty else { return completions }
        let near = known.compactMap { candidate -> (word: String, distance: Int)? in
            let letters = Array(candidate.unicodeScalars)
            // Nothing long is compared, however long the given word is.
            guard abs(letters.count - word.count) <= greatestDistance else { return nil }
            let distance = distance(word, letters)
            return distance <= greatestDistance && distance < letters.count / 2 + 1 ? (candidate, distance) : nil
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
