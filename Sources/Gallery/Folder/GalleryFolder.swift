internal import CLinux
internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A gallery on its way to its place. It is written into a folder beside that place and takes it in one step, so that
/// whoever looks sees the old one or the new one, never half of either.
final class GalleryFolder {
    private let site: GallerySite
    private let staging: OpenFolder
    /// What is there now.
    private let old: OpenFolder?
    /// What of older ones could not be deleted, to be told.
    private(set) var leftovers: [String]
    private var written: [String] = []
    /// What was staged is the gallery.
    private var isPublished = false

    /// Throws if there is something at the path that isn't ours to replace, or if somebody else is at it.
    init(_ place: GalleryPlace) throws(FeedError) {
        do throws(SystemError) {
            site = try GallerySite(place)
            old = try site.openOld()
            leftovers = try site.clearLeftovers()
            staging = try site.stage()
        } catch {
            throw error.feedError(creating: place.path)
        }
        do throws(SystemError) { try begin() } catch {
            abandon()
            throw error.feedError(writing: place.path)
        }
    }

    private func begin() throws(SystemError) {
        // Nobody takes the place any more, as for that one needs the folder beside it; but somebody may just have.
        if old == nil, try OpenFolder(existing: site.target) != nil { throw site.busy }
        if let old { try staging.adoptRights(of: old) }
        try staging.makeFolder(PlacedImage.folder)
    }

    func write(_ bytes: [UInt8], to name: String) throws(FeedError) {
        do throws(SystemError) { try staging.write(bytes, to: name) } catch {
            throw error.feedError(writing: site.path)
        }
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
            try staging.synchronise()
        } catch {
            throw error.feedError(writing: site.path)
        }
        // It is the folder above that may be in the way here.
        let placeOfOld: String?
        do throws(SystemError) { placeOfOld = try takePlace() } catch { throw error.feedError(creating: site.path) }
        guard let old, let placeOfOld else { return }
        do throws(SystemError) {
            try old.remove(old.files(), from: placeOfOld)
        } catch {
            let rest = "what is left of the old gallery stays in \(placeOfOld) until the next run"
            leftovers.append("\(error.message); \(rest)")
        }
    }

    /// Takes away what was written so far, unless it has its place already.
    func abandon() {
        if !isPublished { staging.clearAway(from: staging.path) }
    }

    /// Answers with where the old one is by then, if it is anywhere.
    private func takePlace() throws(SystemError) -> String? {
        if old != nil { return try exchange() }
        guard rename(staging.path, site.target) == 0 else { throw SystemError("can't be created", site.target) }
        isPublished = true
        return nil
    }

    private func exchange() throws(SystemError) -> String? {
        if feedsync_exchange(staging.path, site.target) == 0 {
            isPublished = true
            return staging.path
        }
        if errno == EBUSY || errno == EXDEV {
            let reason = "is a mount point, or part of a container's image, and a gallery is replaced as a whole"
            throw SystemError(errno, "\(reason); give a folder below it", site.target)
        }
        // Not every file system can. Then there is a moment in which there is no gallery, and the next run puts the old
        // one back if this one is killed in it.
        guard errno == EINVAL || errno == ENOSYS, rename(site.target, site.aside) == 0 else {
            throw SystemError("can't be replaced", site.target)
        }
        guard rename(staging.path, site.target) == 0 else {
            let failure = SystemError("can't be replaced", site.target)
            rename(site.aside, site.target)
            throw failure
        }
        isPublished = true
        return site.aside
    }
}
