internal import FeedCore

/// An image as a file of the tree.
struct TreeFile {
    /// The feed of the image, and the position of the image in it.
    let feed: Int
    let position: Int
    let tag: FeedTag
    let content: FileContent
    let date: Timestamp
    /// The path of the directory, relative to the tree; empty for the tree itself.
    var directory: String
    let stem: String
    let ending: String
    /// Whether the cache has lost the data, so that the tree can only keep a file that it has.
    var isLost = false

    var subject: TreeSubject { TreeSubject(feed: tag, digest: content.digest) }
    var purpose: TreePurpose { .image(of: tag, date: date) }

    /// Returns the path of the file if `number - 1` files have its name already: `a/b.jpg`, `a/b (2).jpg`.
    func path(_ number: Int = 1) -> String {
        let name = number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
        return directory.isEmpty ? name : "\(directory)/\(name)"
    }

    /// Returns whether the path is one that the file can have: `a/b.jpg`, or `a/b (2).jpg` with any number.
    func canHave(_ path: String) -> Bool {
        let bytes = path.utf8Span.span
        var start = 0
        func skip(_ text: String) -> Bool {
            let other = text.utf8Span.span
            guard start + other.count <= bytes.count else { return false }
            for index in 0..<other.count where bytes[start + index] != other[index] { return false }
            start += other.count
            return true
        }
        guard directory.isEmpty || skip(directory) && skip("/"), skip(stem) else { return false }
        let end = bytes.count - ending.utf8.count
        if end != start {
            guard start + 4 <= end, bytes[start] == UInt8(ascii: " "), bytes[start + 1] == UInt8(ascii: "("),
                bytes[end - 1] == UInt8(ascii: ")"), bytes[start + 2] != UInt8(ascii: "0"),
                start + 4 < end || bytes[start + 2] != UInt8(ascii: "1")
            else { return false }
            for index in start + 2..<end - 1 where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
                return false
            }
            start = end
        }
        return skip(ending) && start == bytes.count
    }
}

/// The subject of a file: in each feed, an image has one file, whatever its name is.
struct TreeSubject: Hashable {
    let feed: FeedTag
    let digest: Digest
}
