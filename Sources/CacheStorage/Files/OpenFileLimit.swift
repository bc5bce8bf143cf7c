internal import Glibc

/// The limit for open files.
///
/// A batch of images keeps its files open until all of them are on disk.
enum OpenFileLimit {
    private static let wanted: rlim_t = 8192

    /// The number of files that the rest of the program may need: the database, the lock and connections.
    private static let otherFiles = 64

    /// Raises the limit to `wanted`, or as far as the system permits.
    static func raise() {
        guard var limit = current, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        setrlimit(resource, &limit)
    }

    /// The number of files that may be open for images.
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
