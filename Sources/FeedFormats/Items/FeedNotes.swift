/// Notes on what is left out of a feed, for people. Their number is limited: the notes on a feed that is wrong
/// throughout would fill the memory.
struct FeedNotes {
    private static let most = 100

    private var notes: [String] = []
    private var left = 0

    var count: Int { notes.count + left }

    var all: [String] { left == 0 ? notes : notes + ["and \(left) more were left out"] }

    mutating func add(_ note: @autoclosure () -> String) {
        if notes.count < Self.most { notes.append(note()) } else { left += 1 }
    }
}
