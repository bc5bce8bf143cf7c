internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A file that a run made.
struct TreeEntry {
    let path: String
    let digest: Digest
    let size: Int64
    /// In microseconds; nil for one that was to be made, and may have been.
    var modified: Int64?
}

/// The list of what runs made in a tree: it tells that from what people have there. It is written before files are made,
/// with those that are to be, and again when they are there: whenever a run is killed, the next knows what is its own.
struct TreeList {
    static let name = ".feedsync-tree"
    private static let heading = "feedsync tree 1"

    var files: [TreeEntry] = []
    /// Folders that were made.
    var folders: Set<String> = []

    /// Empty where there is none.
    init(in tree: Descriptor) throws(SystemError) {
        let opened = openat(tree.number, Self.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else {
            if errno == ENOENT { return }
            throw SystemError("can't be opened", "\(tree.path)/\(Self.name)")
        }
        let file = Descriptor(owning: opened, Self.name, in: tree)
        var lines = try file.read(Int(file.status().st_size)).split(separator: UInt8(ascii: "\n"))[...]
        guard lines.popFirst()?.elementsEqual(Self.heading.utf8) == true else {
            throw SystemError(EINVAL, "is no list of feedsync's; move it away", file.path)
        }
        files.reserveCapacity(lines.count)
        for line in lines {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            let texts = parts.map { String(decoding: $0, as: UTF8.self) }
            if texts.count == 4, let digest = Digest(hex: texts[0]), let size = Int64(texts[1]) {
                try check(texts[3], file)
                files.append(TreeEntry(path: texts[3], digest: digest, size: size, modified: Int64(texts[2])))
            } else if texts.count > 1, texts[0] == "folder" {
                let folder = String(decoding: line.dropFirst("folder ".count), as: UTF8.self)
                try check(folder, file)
                folders.insert(folder)
            }
        }
    }

    /// Others may write in the tree, and so its list. No name that a run gives begins with a dot; `..` would lead out of it.
    private func check(_ path: String, _ list: Descriptor) throws(SystemError) {
        var last = UInt8(ascii: "/")
        for byte in path.utf8 {
            if last == UInt8(ascii: "/"), byte == UInt8(ascii: ".") {
                throw SystemError(EINVAL, "names \(path), which no run made; move it away", list.path)
            }
            last = byte
        }
    }

    /// Returns when it is on disk.
    func write(to tree: Descriptor) throws(SystemError) {
        var text = "\(Self.heading)\n"
        for folder in folders.sorted() { text += "folder \(folder)\n" }
        for file in files {
            text += "\(file.digest.hex) \(file.size) \(file.modified.map(String.init) ?? "-") \(file.path)\n"
        }
        try tree.replace(Self.name, with: Array(text.utf8))
    }
}
