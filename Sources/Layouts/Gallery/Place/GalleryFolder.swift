internal import CLinux
internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A gallery on its way to its place. It is written into a folder beside that place and takes it in one step, so that
/// whoever looks sees the old one or the new one, never half of either.
final class GalleryFolder {
    private let site: GallerySite
    private let staging: OpenFolder
    /// The gallery that is there now.
    private let old: OpenFolder?
    private var written: [String] = []
    private var hasThumbnails = false
    /// The new gallery has its place.
    private var isPublished = false

    /// Throws if there is something at the path that isn't ours to replace, or if another run is writing it.
    init(_ place: GalleryPlace) throws(FeedError) {
        do throws(SystemError) {
            site = try GallerySite(place)
            old = try site.openOld()
            try site.clearLeftovers()
            staging = try site.stage()
        } catch {
            throw Self.error(error, isCreating: true)
        }
        do throws(SystemError) { try begin() } catch {
            abandon()
            throw Self.error(error)
        }
    }

    private func begin() throws(SystemError) {
        try staging.markUnfinished()
        // Another run may have taken the place before this one had the folder beside it; from now on none can.
        if old == nil, try OpenFolder(at: site.target) != nil { throw site.busy }
        if let old { try staging.adoptRights(of: old) }
        try staging.makeFolder(OpenFolder.images)
    }

    func write(_ bytes: [UInt8], to name: String) throws(FeedError) {
        do throws(SystemError) { try staging.folder.write(bytes, to: name) } catch { throw Self.error(error) }
        written.append(name)
    }

    func place(_ file: any OpenImage, as name: String) throws(FeedError) {
        try file.place(at: "\(staging.path)/\(name)")
        written.append(name)
    }

    /// `put` makes the file, and says whether it has.
    func place(
        thumbnail name: String, by put: (_ path: String) throws(FeedError) -> Bool
    ) throws(FeedError) -> Bool {
        if !hasThumbnails {
            do throws(SystemError) { try staging.makeFolder(OpenFolder.thumbnails) } catch { throw Self.error(error) }
            hasThumbnails = true
        }
        guard try put("\(staging.path)/\(name)") else { return false }
        written.append(name)
        return true
    }

    /// To be called once, when all is written.
    func publish() throws(FeedError) {
        do throws(SystemError) {
            try staging.mark(files: written)
            try staging.synchronise()
        } catch {
            throw Self.error(error)
        }
        do throws(SystemError) { try takePlace() } catch { throw Self.error(error, isCreating: true) }
        isPublished = true
        guard let old else { return }
        do throws(SystemError) { try old.remove(old.ownFiles()) } catch {
            throw .storage(.failed, "the new gallery is in its place, but the old one is left: \(error.message)")
        }
    }

    /// Takes away what was written so far, unless it has its place already.
    func abandon() {
        if !isPublished { staging.clearAway() }
    }

    private func takePlace() throws(SystemError) {
        guard let old else {
            guard rename(staging.path, site.target) == 0 else { throw SystemError("can't be created", site.target) }
            return
        }
        if feedsync_exchange(staging.path, site.target) == 0 { return old.hasMoved(to: site.staging) }
        if errno == EBUSY || errno == EXDEV {
            let reason = "is a mount point, or part of a container's image, and a gallery is replaced as a whole"
            throw SystemError(errno, "\(reason); give a folder below it", site.target)
        }
        // Not every file system can exchange. Then there is a moment in which there is no gallery, and the next run puts
        // the old one back if this one is killed in it.
        guard errno == EINVAL || errno == ENOSYS, rename(site.target, site.aside) == 0 else {
            throw SystemError("can't be replaced", site.target)
        }
        guard rename(staging.path, site.target) == 0 else {
            let failure = SystemError("can't be replaced", site.target)
            rename(site.aside, site.target)
            throw failure
        }
        old.hasMoved(to: site.aside)
    }

    private static func error(_ error: SystemError, isCreating: Bool = false) -> FeedError {
        switch error.code {
        case EWOULDBLOCK: .storage(.locked, error.message)
        case let code where isCreating && ![ENOSPC, EDQUOT, EIO].contains(code):
            .storage(.cannotCreate, "the gallery can't be written: \(error.message)")
        default: .storage(.failed, "writing the gallery failed: \(error.message)")
        }
    }
}
