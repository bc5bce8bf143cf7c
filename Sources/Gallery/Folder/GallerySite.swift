internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Where a gallery goes, and what has a place beside it on the way there.
struct GallerySite {
    /// As given; for messages.
    let path: String
    /// With no link in it.
    let target: String
    /// Where the new one is made.
    let staging: String
    /// Where the old one is for a moment, if it can't be exchanged with the new one in one step.
    let aside: String
    /// What a leftover is called, with a number, that is in the way of the new one and can't be deleted.
    private let kept: String

    /// The folder above it is there afterwards.
    init(_ place: GalleryPlace) throws(SystemError) {
        let (destination, cache) = (try Destination(place.path), try Destination(place.cache))
        guard !destination.lies(in: cache) else {
            throw SystemError(EEXIST, "belongs to the cache, \(place.cache); give a folder elsewhere", place.path)
        }
        guard !cache.lies(in: destination) else {
            throw SystemError(ENOTEMPTY, "holds the cache, \(place.cache); give a folder elsewhere", place.path)
        }
        try destination.makeFoldersAbove()
        path = place.path
        target = destination.path
        let hidden = destination.sibling { ".\($0).feedsync" }
        staging = "\(hidden)-new"
        aside = "\(staging)-old"
        kept = "\(hidden)-old"
    }

    /// Locked. Nil if there is none.
    func openOld() throws(SystemError) -> OpenFolder? {
        if let old = try OpenFolder(existing: target) {
            try lock(old)
            guard access(target, W_OK) == 0 else { throw SystemError("can't be replaced", target) }
            try old.checkIsReplaceable()
            return old
        }
        // A run was killed when it had put the old one aside, and not yet the new one in its place.
        guard let old = try openHidden(aside) else { return nil }
        try old.checkIsReplaceable()
        try old.move(to: target)
        return old
    }

    /// Deletes what an earlier run left. What can't be deleted, such as a file that somebody else put there, is moved
    /// out of the way, and told.
    func clearLeftovers() throws(SystemError) -> [String] {
        var told: [String] = []
        for hidden in [aside, staging] {
            guard let leftover = try openHidden(hidden) else { continue }
            let files = try leftover.checkIsLeftover()
            do throws(SystemError) { try leftover.remove(files, from: hidden) } catch {
                told.append("\(error.message); that folder is now \(try keep(hidden))")
            }
        }
        return told
    }

    /// Answers with its new path.
    private func keep(_ hidden: String) throws(SystemError) -> String {
        var number = 1
        while true {
            let place = "\(kept)-\(number)"
            // Of folders this replaces an empty one alone.
            if rename(hidden, place) == 0 { return place }
            guard [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) else {
                throw SystemError("can't be moved out of the way", hidden)
            }
            number += 1
        }
    }

    /// Makes the folder for the new one, locked.
    func stage() throws(SystemError) -> OpenFolder {
        guard mkdir(staging, 0o777) == 0 else {
            throw errno == EEXIST ? busy : SystemError("can't be created", staging)
        }
        // Until it is locked, another run takes it for a leftover.
        guard let folder = try OpenFolder(existing: staging) else { throw busy }
        try lock(folder)
        do throws(SystemError) { try folder.markUnfinished() } catch {
            folder.clearAway(from: staging)
            throw error
        }
        return folder
    }

    var busy: SystemError {
        SystemError(EWOULDBLOCK, "another feedsync run is writing it", path)
    }

    /// Locked. Nil if there is nothing.
    private func openHidden(_ hidden: String) throws(SystemError) -> OpenFolder? {
        guard try !Destination.isLink(hidden) else {
            throw SystemError(ELOOP, "is a symbolic link, and the gallery needs a folder of that name", hidden)
        }
        guard let folder = try OpenFolder(existing: hidden) else { return nil }
        try lock(folder)
        return folder
    }

    private func lock(_ folder: OpenFolder) throws(SystemError) {
        if try !folder.lock() { throw busy }
    }
}
