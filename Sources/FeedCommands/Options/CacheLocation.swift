/// Where the cache is.
package enum CacheLocation {
    /// `option` is what `--cache` or `FEEDSYNC_CACHE` gave, `accountHome` the home in the user's account, for where the
    /// environment names none (cron, systemd).
    package static func path(
        option: String?, environment: [String: String], accountHome: String?
    ) throws(UsageError) -> String {
        if let path = option ?? environment["FEEDSYNC_CACHE"], !path.isEmpty { return path }
        // The XDG specification has relative paths ignored.
        if let caches = environment["XDG_CACHE_HOME"], caches.hasPrefix("/") {
            return join(caches, "feedsync")
        }
        for case let home? in [environment["HOME"], accountHome] where home.hasPrefix("/") {
            return join(home, ".cache/feedsync")
        }
        throw UsageError(
            "there is no place for the cache: neither HOME nor the user's account names a home folder",
            hint: "give one with --cache DIR or FEEDSYNC_CACHE", exitCode: .configuration)
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
