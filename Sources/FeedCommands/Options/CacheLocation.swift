import FeedCore

/// Where the cache is.
enum CacheLocation {
    /// `option` is what `--cache` or `FEEDSYNC_CACHE` gave.
    static func path(option: String?, _ surroundings: Surroundings) throws(UsageError) -> String {
        if let option { return option }
        // The XDG specification has relative paths ignored.
        if let caches = surroundings.environment["XDG_CACHE_HOME"], FilePath.isAbsolute(caches) {
            return join(caches, "feedsync")
        }
        if let home = surroundings.home { return join(home, ".cache/feedsync") }
        throw UsageError(
            "there is no place for the cache: \(Surroundings.noHome)",
            hint: "give one with --cache DIR or FEEDSYNC_CACHE", exitCode: .configuration)
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
