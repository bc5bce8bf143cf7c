internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The paths that a gallery takes on its way to its place, and the folders there.
struct GallerySite {
    /// As given; for messages.
    let path: String
    /// With no link in it.
    let target: String
    /// Where the new one is made.
    let staging: String
    /// Where the old one is for a moment, if the two can't be exchanged in one step.
    let aside: String

    /// The folder above it is there afterwards.
    init(_ place: GalleryPlace) throws(SystemError) {
        let destination = try Destination(place.path)
        try destination.requireApart(from: place.cache)
        try destination.makeFoldersAbove()
        path = place.path
        target = destination.path
        staging = destination.hiddenSibling(".feedsync-new")
        aside = "\(staging)-old"
    }

    /// Nil if there is none.
    func openOld() throws(SystemError) -> OpenFolder? {
        if let old = try open(target) {
            guard access(target, W_OK) == 0 else { throw SystemError("can't be replaced", target) }
            _ = try old.ownFiles()
            return old
        }
        // A run was killed when it had put the old one aside, and not yet the new one in its place.
        guard let old = try open(aside) else { return nil }
        _ = try old.ownFiles()
        guard rename(aside, target) == 0 else { throw SystemError("can't be put back", aside) }
        old.hasMoved(to: target)
        return old
    }

    /// Deletes what an earlier run left. Throws where something else is in it: it may be a person's.
    func clearLeftovers() throws(SystemError) {
        for hidden in [aside, staging] {
            guard let leftover = try open(hidden) else { continue }
            try leftover.remove(leftover.ownFiles(isLeftover: true))
        }
    }

    /// Makes the folder for the new one.
    func stage() throws(SystemError) -> OpenFolder {
        guard mkdir(staging, 0o777) == 0 else {
            throw errno == EEXIST ? busy : SystemError("can't be created", staging)
        }
        // Until it is locked, another run takes it for a leftover.
        guard let folder = try open(staging) else { throw busy }
        return folder
    }

    var busy: SystemError { SystemError(EWOULDBLOCK, "another feedsync run is writing it", path) }

    /// Locked. Nil if there is nothing.
    private func open(_ path: String) throws(SystemError) -> OpenFolder? {
        guard let folder = try OpenFolder(at: path) else { return nil }
        guard try folder.lock() else { throw busy }
        return folder
    }
}
