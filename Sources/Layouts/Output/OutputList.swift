internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The list of the files that feedsync made in one output directory.
///
/// A run writes the list twice: with its planned files before it makes them, and with its own files afterwards. The
/// next run therefore recognises the files even of a killed run. The list may come from another user's cache, so every
/// line is checked: each path in it leads to a file inside the output directory.
struct OutputList {
    static let heading = "feedsync output 2"
    static let maxEntries = 4_000_000

    /// The entries by their paths, which are relative to the output directory.
    var entries = OutputEntries()
    /// The paths of the directories that feedsync made in the output directory.
    var directories: Set<String> = []
    /// The hidden name under which a run writes a file before it renames the file to its path.
    var part: String?
    /// The `GalleryKey` of a gallery.
    var key: String?
    /// What a tree remembers about its feeds.
    var memory = TreeMemory()

    init() {}

    // MARK: Writing

    /// Writes the list.
    ///
    /// `directory` is the path of the output directory.
    func write(to file: Descriptor, about directory: String) throws(SystemError) {
        var text = "\(Self.heading)\nat \(PercentEncoding.encodePath(directory))\n"
        func flush(_ limit: Int = 0) throws(SystemError) {
            guard text.utf8.count > limit else { return }
            try file.write(Array(text.utf8))
            text = ""
        }
        if let part { text += "part \(part)\n" }
        if let key { text += "key \(key)\n" }
        for path in directories { text += "directory \(path)\n" }
        for (path, entry) in entries {
            if let own = entry.own { text += "\(Self.kind(entry.purpose)) \(own.fields) \(path)\n" }
            if let planned = entry.planned { text += "plan \(planned.fields) \(path)\n" }
            try flush(1 << 16)
        }
        for (tag, feed) in memory.feeds {
            text += "feed \(tag.bits) \(feed.next)\n"
            for (id, number) in feed.numbers {
                text += "number \(id) \(number)\n"
                try flush(1 << 16)
            }
            for digest in feed.deletedImages { text += "deleted \(digest.hex)\n" }
            for digest in feed.deletedSidecars { text += "deleted-sidecar \(digest.hex)\n" }
        }
        try flush()
    }

    /// Returns the first word of a file's line, and what follows it about the purpose.
    private static func kind(_ purpose: TreePurpose?) -> String {
        switch purpose {
        case nil: "file"
        case .image(let feed, let date): "image \(feed.bits) \(date.microseconds)"
        case .sidecar: "sidecar"
        }
    }
}

extension FileContent {
    fileprivate var fields: String { "\(digest.hex) \(size)" }
}

extension OwnFile {
    fileprivate var fields: String { "\(content.fields) \(modified.seconds) \(modified.nanoseconds)" }
}
