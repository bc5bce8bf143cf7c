internal import Glibc
internal import SystemFiles

/// The files in a gallery's folder. The marker, a list of those that a run wrote there, tells them from a person's.
extension OpenFolder {
    private static let marker = ".feedsync-gallery"
    /// The marker takes its place when it is whole and on disk, so that neither a run that is killed nor a power cut
    /// leaves one that is cut off.
    private static let nextMarker = marker + Descriptor.nextEnding
    private static let unfinished = "feedsync gallery 1, unfinished"
    private static let heading = "feedsync gallery 1"

    /// From now on everything in the folder is ours, until the list of files says which.
    func markUnfinished() throws(SystemError) { try mark([Self.unfinished]) }

    /// `files` are relative to the folder.
    func mark(files: [String]) throws(SystemError) { try mark([Self.heading] + files.sorted()) }

    private func mark(_ lines: [String]) throws(SystemError) {
        try folder.replace(Self.marker, with: Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// The names of all that is here. Throws if any of it may be a person's, as the marker doesn't list it. Less is asked
    /// of the leftover of a killed run: it may be unfinished, or have nothing but its marker.
    func ownFiles(isLeftover: Bool = false) throws(SystemError) -> [String] {
        let names = try names()
        let lines = names.contains(Self.marker) ? try markerLines() : []
        let isMarkerAlone = names.allSatisfy { [Self.marker, Self.nextMarker].contains($0) }
        if names.isEmpty || isLeftover && (isMarkerAlone || lines.first == Self.unfinished) { return names }
        guard lines.first == Self.heading else {
            throw SystemError(
                ENOTEMPTY, "is a folder with something in it, and no gallery; give an empty or a new one", path)
        }
        let listed = Set(lines.dropFirst() + [Self.marker])
        if let foreign = names.first(where: { !listed.contains($0) }) {
            throw SystemError(
                EEXIST, "was not written by feedsync; a gallery's folder may hold nothing else", "\(path)/\(foreign)")
        }
        return names
    }

    /// Deletes these files, the folders in the folder and the folder itself.
    func remove(_ files: [String]) throws(SystemError) {
        for name in files where name != Self.marker && !Self.inner.contains(where: name.isIn) {
            try delete(name, in: folder)
        }
        for inner in Self.inner {
            guard let opened = try open(inner) else { continue }
            for name in files where name.isIn(inner) { try delete(String(name.dropFirst(inner.count + 1)), in: opened) }
            try delete(inner, in: folder, AT_REMOVEDIR)
        }
        // It goes last, so that the next run knows what a killed one left.
        try delete(Self.marker, in: folder)
        guard rmdir(path) == 0 || errno == ENOENT else { throw SystemError("can't be deleted", path) }
    }

    /// As far as it goes: the next run clears away what this can't.
    func clearAway() {
        do { try remove(names()) } catch {
            // There is an error to report already.
        }
    }

    private func delete(_ name: String, in folder: Descriptor, _ flags: Int32 = 0) throws(SystemError) {
        guard unlinkat(folder.number, name, flags) != 0, errno != ENOENT else { return }
        throw SystemError("can't be deleted", "\(folder === self.folder ? path : folder.path)/\(name)")
    }

    /// Files in the folders of images are called `images/NAME`; those folders themselves are left out.
    private func names() throws(SystemError) -> [String] {
        var names = try Self.names(in: folder)
        for inner in Self.inner {
            guard let opened = try open(inner) else { continue }
            names.removeAll { [inner, "\(inner)/"].contains($0) }
            names += try Self.names(in: opened).map { "\(inner)/\($0)" }
        }
        return names
    }

    /// The name of a folder ends with a slash, where the file system tells: a folder in the place of a page is a person's.
    private static func names(in folder: Descriptor) throws(SystemError) -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name, type throws(SystemError) in
            names.append(String(cString: name) + (type == UInt8(DT_DIR) ? "/" : ""))
        }
        return names.sorted()
    }

    /// Nil if there is no such folder, or only a link to one, which could lead to a person's files.
    private func open(_ inner: String) throws(SystemError) -> Descriptor? {
        let opened = openat(number, inner, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
            throw SystemError("can't be opened", "\(path)/\(inner)")
        }
        return Descriptor(owning: opened, path: "\(path)/\(inner)")
    }

    private func markerLines() throws(SystemError) -> [String] {
        let opened = openat(number, Self.marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError("can't be opened", "\(path)/\(Self.marker)") }
        let file = Descriptor(owning: opened, path: "\(path)/\(Self.marker)")
        return try file.read(Int(file.status().st_size)).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    fileprivate func isIn(_ folder: String) -> Bool { hasPrefix("\(folder)/") }
}
