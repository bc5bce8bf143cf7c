internal import Glibc

/// A batch of images keeps its files open until all are on disk together.
enum OpenFileLimit {
    private static let wanted: rlim_t = 8192

    /// What the rest of the program may hold open: the database, the lock, and connections.
    private static let otherFiles = 64

    /// Raised as far as the system grants, up to what is wanted.
    static func raise() {
        guard var limit = current, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        setrlimit(resource, &limit)
    }

    /// Files that can be open for images.
    static var forImages: Int {
        let limit = Int(clamping: min(current?.rlim_cur ?? wanted, wanted))
        return max(1, limit - otherFiles)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
