internal import FeedCore
internal import Glibc
internal import SystemFiles

/// How a gallery goes away.
extension OpenFolder {
    /// Deletes these of its files, the folder of images and the folder, which is at `place` by now. What somebody else put
    /// there stays, and is an error. The list of files may be anybody's: it names nothing outside, as only what is found
    /// in the folder goes.
    func remove(_ files: [String], from place: String) throws(SystemError) {
        func delete(_ name: String, of folder: Int32, shownAs shown: String, _ flags: Int32 = 0) throws(SystemError) {
            guard unlinkat(folder, name, flags) == 0 || errno == ENOENT else {
                throw SystemError("can't be deleted", "\(place)/\(shown)")
            }
        }
        let ours = Set(files)
        let images = "\(PlacedImage.folder)/"
        let present = try names().filter { ours.contains($0) && $0 != Self.marker }
        for name in present where !name.hasPrefix(images) { try delete(name, of: number, shownAs: name) }
        if let folder = try self.images() {
            for name in present where name.hasPrefix(images) {
                try delete(String(name.dropFirst(images.count)), of: folder.number, shownAs: name)
            }
        }
        if let foreign = try names().first(where: { $0 != Self.marker }) {
            // A folder that was empty has no marker, and the next run is to know what this is.
            try mark([])
            throw SystemError(EEXIST, "was not written by feedsync", "\(place)/\(foreign)")
        }
        try delete(PlacedImage.folder, of: number, shownAs: images, AT_REMOVEDIR)
        // At last, for the same reason.
        try delete(Self.marker, of: number, shownAs: Self.marker)
        guard rmdir(place) == 0 || errno == ENOENT else { throw SystemError("can't be deleted", place) }
    }

    /// As far as it goes: the next run clears away what this can't.
    func clearAway(from place: String) {
        do { try remove(names(), from: place) } catch {
            // There is an error to report already.
        }
    }
}
