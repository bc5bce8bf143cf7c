/// A file of the tree that gets another path.
struct TreeMove {
    let from: String
    let to: String
    /// Whether the file replaces an own file that is going to be deleted.
    var isReplacing = false
    let purpose: TreePurpose
}

/// The order of renames in which each new path is free when its turn comes.
struct MoveOrder {
    enum Step: Hashable {
        case move(Int)
        /// The first file of a circle gets a hidden name, so that the others can move on.
        case setAside(Int)
        case bringBack(Int)
    }

    private(set) var steps: [Step] = []

    /// Paths are compared without regard to case, as some file systems do.
    init(_ moves: [TreeMove]) {
        var leaving: [String: Int] = [:]
        for (index, move) in moves.enumerated() { leaving[SafeName.key(move.from)] = index }
        var isPlanned = Array(repeating: false, count: moves.count)
        for first in moves.indices where !isPlanned[first] {
            var chain = [first]
            isPlanned[first] = true
            var blocker = leaving[SafeName.key(moves[first].to)]
            while let index = blocker, !isPlanned[index] {
                isPlanned[index] = true
                chain.append(index)
                blocker = leaving[SafeName.key(moves[index].to)]
            }
            if blocker == first {
                steps.append(.setAside(first))
                steps += chain.dropFirst().reversed().map(Step.move)
                steps.append(.bringBack(first))
            } else {
                steps += chain.reversed().map(Step.move)
            }
        }
    }
}
