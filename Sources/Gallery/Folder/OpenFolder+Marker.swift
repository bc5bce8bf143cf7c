internal import Glibc
internal import SystemFiles

/// The list of its own files that a gallery holds.
extension OpenFolder {
    static let marker = ".feedsync-gallery"
    /// What is to become the marker. It takes its place when it is whole and on disk, so that neither a run that is
    /// killed nor a power cut leaves one that is cut off.
    private static let nextMarker = ".feedsync-gallery.new"
    private static let unfinished = "feedsync gallery 1, unfinished"
    private static let heading = "feedsync gallery 1"

    func markUnfinished() throws(SystemError) { try mark(Self.unfinished) }

    /// `files` are relative to the folder.
    func mark(_ files: [String]) throws(SystemError) {
        try mark(([Self.heading] + files.sorted()).joined(separator: "\n"))
    }

    private func mark(_ text: String) throws(SystemError) {
        // One that a power cut emptied would make the folder somebody else's.
        try write(Array("\(text)\n".utf8), to: Self.nextMarker).synchroniseWherePossible()
        guard renameat(number, Self.nextMarker, number, Self.marker) == 0 else {
            throw SystemError("can't be created", "\(path)/\(Self.marker)")
        }
    }

    /// It is empty, or holds what a run wrote and nothing else.
    func checkIsReplaceable() throws(SystemError) {
        let names = try names()
        guard !names.isEmpty else { return }
        let files = Set(try filesOfGallery())
        if let foreign = names.first(where: { !files.contains($0) }) {
            throw SystemError(
                EEXIST, "was not written by feedsync; a gallery's folder may hold nothing else", "\(path)/\(foreign)")
        }
    }

    /// Answers with what there is to delete of what an earlier run wrote.
    func checkIsLeftover() throws(SystemError) -> [String] {
        let names = try names()
        let lines = try markerLines()
        if lines.first == Self.unfinished { return names }
        // Its beginning, cut short; or its end, as the marker goes last.
        let isMarkerAlone = names.allSatisfy { [Self.marker, Self.nextMarker].contains($0) }
        if isMarkerAlone, lines.count <= 1, Self.unfinished.hasPrefix(lines.first ?? "") { return names }
        return try filesOfGallery()
    }

    private func filesOfGallery() throws(SystemError) -> [String] {
        let files = try files()
        guard !files.isEmpty else {
            throw SystemError(
                ENOTEMPTY, "is a folder with something in it, and no gallery; give an empty or a new one", path)
        }
        return files
    }

    /// What the marker lists, and the marker; nothing if this is no gallery.
    func files() throws(SystemError) -> [String] {
        let lines = try markerLines()
        return lines.first == Self.heading ? [Self.marker] + lines.dropFirst() : []
    }

    private func markerLines() throws(SystemError) -> [String] {
        let marker = openat(number, Self.marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard marker >= 0 else {
            if [ENOENT, ELOOP, ENXIO].contains(errno) { return [] }
            throw SystemError("can't be opened", "\(path)/\(Self.marker)")
        }
        let file = Descriptor(owning: marker, path: "\(path)/\(Self.marker)")
        let status = try file.status()
        guard status.isFile else { return [] }
        return try file.read(Int(status.st_size)).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
