internal import CLinux
internal import FeedCore
internal import Glibc

/// A gallery on its way to its place. It is written into a folder beside that place and takes it in one step, so that
/// whoever looks sees the old one or the new one, never half of either.
final class GalleryFolder {
    /// As given; for messages.
    private let path: String
    /// Where the gallery goes, with no link in it.
    private let target: String
    private let staging: OpenFolder
    /// What is there now.
    private let old: OpenFolder?
    private var written: [String] = []
    /// What was staged is the gallery.
    private var isPublished = false

    /// Throws if there is something at the path that isn't ours to replace, or if somebody else is at it.
    init(_ place: GalleryPlace) throws(FeedError) {
        path = place.path
        do throws(SystemError) {
            let destination = try Self.destination(of: place)
            target = destination.path
            old = try OpenFolder(existing: target)
            try Self.lock(old, path)
            try old?.checkIsReplaceable()
            staging = try Self.stage(beside: destination, path)
        } catch {
            throw error.feedError(creating: path)
        }
        do throws(SystemError) { try begin() } catch {
            abandon()
            throw error.feedError(creating: path)
        }
    }

    private func begin() throws(SystemError) {
        // Nobody takes the place any more, as for that one needs the folder beside it; but somebody may just have.
        if old == nil, try OpenFolder(existing: target) != nil { throw Self.busy(path) }
        try staging.makeFolder(PlacedImage.folder)
    }

    func write(_ bytes: [UInt8], to name: String) throws(FeedError) {
        do throws(SystemError) { try staging.write(bytes, to: name) } catch { throw error.feedError(writing: path) }
        written.append(name)
    }

    func place(_ file: any OpenImage, as name: String) throws(FeedError) {
        try file.place(at: "\(staging.path)/\(name)")
        written.append(name)
    }

    /// To be called once, when all is written.
    func publish() throws(FeedError) {
        do throws(SystemError) {
            try staging.mark(written)
            // Only now: they may forbid to write into it.
            if let old { try staging.adoptRights(of: old) }
        } catch {
            throw error.feedError(writing: path)
        }
        // It is the folder above that may be in the way here.
        do throws(SystemError) { try takePlace() } catch { throw error.feedError(creating: path) }
        do throws(SystemError) {
            if let old { try old.remove(old.files(), from: staging.path) }
        } catch {
            throw error.feedError(writing: path)
        }
    }

    /// Takes away what was written so far, unless it has its place already.
    func abandon() {
        if isPublished { return }
        // There is an error to report already; and the next run clears away what this can't.
        do { try staging.remove(staging.names(), from: staging.path) } catch {}
    }

    private func takePlace() throws(SystemError) {
        if old != nil { return try exchange() }
        guard rename(staging.path, target) == 0 else { throw SystemError("can't be created", target) }
        isPublished = true
    }

    private func exchange() throws(SystemError) {
        if feedsync_exchange(staging.path, target) == 0 {
            isPublished = true
            return
        }
        // Not every file system can. Then there is a moment in which there is no gallery.
        guard errno == EINVAL || errno == ENOSYS else { throw SystemError("can't be replaced", target) }
        let aside = "\(staging.path)-old"
        guard rename(target, aside) == 0 else { throw SystemError("can't be replaced", target) }
        guard rename(staging.path, target) == 0 else {
            let failure = SystemError("can't be replaced", target)
            rename(aside, target)
            throw failure
        }
        isPublished = true
        guard rename(aside, staging.path) == 0 else { throw SystemError("can't be deleted", aside) }
    }

    // MARK: Beginning

    /// The folder above it is there afterwards.
    private static func destination(of place: GalleryPlace) throws(SystemError) -> Destination {
        let (destination, cache) = (try Destination(place.path), try Destination(place.cache))
        guard !destination.lies(in: cache) else {
            throw SystemError(EEXIST, "belongs to the cache, \(place.cache); give a folder elsewhere", place.path)
        }
        guard !cache.lies(in: destination) else {
            throw SystemError(ENOTEMPTY, "holds the cache, \(place.cache); give a folder elsewhere", place.path)
        }
        try destination.makeFoldersAbove()
        return destination
    }

    /// What a killed run left there is cleared away.
    private static func stage(
        beside destination: Destination, _ path: String
    ) throws(SystemError) -> OpenFolder {
        let staging = destination.sibling { ".\($0).feedsync-new" }
        if mkdir(staging, 0o777) != 0 {
            guard errno == EEXIST else { throw SystemError("can't be created", staging) }
            guard try !Destination.isLink(staging) else {
                throw SystemError(ELOOP, "is a symbolic link, and the gallery is made under that name", staging)
            }
            if let leftover = try OpenFolder(existing: staging) {
                try lock(leftover, path)
                try leftover.remove(leftover.checkIsLeftover(), from: staging)
            }
            guard mkdir(staging, 0o777) == 0 else {
                throw errno == EEXIST ? busy(path) : SystemError("can't be created", staging)
            }
        }
        // Until it is locked, another run takes it for a leftover.
        guard let folder = try OpenFolder(existing: staging) else { throw busy(path) }
        try lock(folder, path)
        do throws(SystemError) { try folder.markUnfinished() } catch {
            // As in `abandon`.
            do { try folder.remove(folder.names(), from: staging) } catch {}
            throw error
        }
        return folder
    }

    private static func lock(_ folder: OpenFolder?, _ path: String) throws(SystemError) {
        if let folder, try !folder.lock() { throw busy(path) }
    }

    private static func busy(_ path: String) -> SystemError {
        SystemError(EWOULDBLOCK, "another feedsync run is writing it", path)
    }
}
