internal import FeedCore

/// The notes on skipped parts of a feed, which the user reads.
///
/// Their number is limited to bound the memory for a feed of invalid items.
struct FeedNotes {
    private static let most = 100

    private var notes: [String] = []
    private var omitted = 0
    /// The videos, sounds and documents of the feed, whose number is the first note.
    var others = OtherMedia()

    var count: Int { notes.count + omitted }

    var all: [String] {
        [others.note].compactMap(\.self) + notes + (omitted == 0 ? [] : ["and \(omitted) more were left out"])
    }

    mutating func add(_ note: @autoclosure () -> String) {
        if notes.count < Self.most { notes.append(note()) } else { omitted += 1 }
    }
}

/// Limits the memory for texts that a feed writes once and each of its images holds: ids, titles, the beginnings of
/// URLs.
///
/// The limit grows with the size of the feed plus the number of its images, rather than with their product.
struct TextBudget {
    private static let ofEachImage = 1024

    private var left: Int
    /// The room for details such as tags, which an image can do without.
    private var leftForDetails: Int

    init(for document: FeedSource) {
        let size = document.bytes.count
        left = (1 << 20) + max(2 * size, min(8 * size, 64 << 20))
        leftForDetails = left
    }

    /// Takes room for the details of an image.
    ///
    /// Returns false if too little is left.
    mutating func takeDetails(_ size: Int) -> Bool {
        guard size <= leftForDetails else { return false }
        leftForDetails -= size
        return true
    }

    mutating func addImage() { left += Self.ofEachImage }

    mutating func spend(_ texts: String?...) throws(DecodingFailure) {
        for text in texts { left -= text?.utf8.count ?? 0 }
        guard left >= 0 else { throw .excess }
    }
}
