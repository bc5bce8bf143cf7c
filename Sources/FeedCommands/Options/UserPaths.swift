import FeedCore

/// Finds the user's files: home directory, config file, cache, and operands.
extension World {
    var home: String? {
        for case let home? in [environment["HOME"], accountHome] where FilePath.isAbsolute(home) {
            return home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home
        }
        return nil
    }

    /// Returns the path with a leading `~` replaced by the home directory; nil if the user has no home directory.
    func expandingHome(_ path: String) -> String? {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home.map { $0 + path.dropFirst() }
    }

    /// Returns the path of the config file; nil if none is read or the user has no home directory.
    func configPath(_ settings: Settings) -> String? {
        if settings.noConfig { return nil }
        return settings.config ?? ownPath("XDG_CONFIG_HOME", inHome: ".config").map { "\($0)/config" }
    }

    /// Returns the path of the cache.
    ///
    /// `option` is the value of `--cache` or `FEEDSYNC_CACHE`.
    func cachePath(_ option: String?) throws(UsageError) -> String {
        if let path = option ?? ownPath("XDG_CACHE_HOME", inHome: ".cache") { return path }
        throw UsageError(
            "no directory for the cache: \(noHome)",
            hint: "set --cache DIR or FEEDSYNC_CACHE", exitCode: .configuration)
    }

    /// Returns the directory of feedsync below an XDG directory.
    ///
    /// The XDG specification requires relative paths to be ignored.
    private func ownPath(_ variable: String, inHome name: String) -> String? {
        let given = environment[variable].flatMap { FilePath.isAbsolute($0) ? $0 : nil }
        guard let directory = given ?? home.map({ $0 == "/" ? "/\(name)" : "\($0)/\(name)" }) else { return nil }
        return directory.hasSuffix("/") ? "\(directory)feedsync" : "\(directory)/feedsync"
    }

    /// Returns the URL of a FEED on the command line.
    ///
    /// A relative path starts in the current directory.
    func feed(_ operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.feed(operand, currentDirectory: currentDirectory, isFile: fileExists)
    }

    /// Returns the URL of an image on the command line.
    func image(_ operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.url(operand, currentDirectory: currentDirectory, isFile: fileExists)
    }
}

let noHome = "neither HOME nor the user's account names a home directory"

/// Returns whether the text contains U+FFFD, which replaces bytes that are not UTF-8.
///
/// Such a path would name another file.
func hasReplacementCharacter(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }
