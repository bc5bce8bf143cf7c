import FeedCore

/// Where a user's files are.
extension World {
    var home: String? {
        for case let home? in [environment["HOME"], accountHome] where FilePath.isAbsolute(home) {
            return home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home
        }
        return nil
    }

    /// A path that begins with `~`, with the home directory in its place; nil where there is none. Others as they are.
    func expandingHome(_ path: String) -> String? {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home.map { $0 + path.dropFirst() }
    }

    /// Nil where no config file is to be read, or a user has no place for one.
    func configPath(_ settings: Settings) -> String? {
        if settings.noConfig { return nil }
        return settings.config ?? ownPath("XDG_CONFIG_HOME", inHome: ".config").map { "\($0)/config" }
    }

    /// `option` is what `--cache` or `FEEDSYNC_CACHE` gave.
    func cachePath(_ option: String?) throws(UsageError) -> String {
        if let path = option ?? ownPath("XDG_CACHE_HOME", inHome: ".cache") { return path }
        throw UsageError(
            "there is no place for the cache: \(noHome)",
            hint: "give one with --cache DIR or FEEDSYNC_CACHE", exitCode: .configuration)
    }

    /// The XDG specification has relative paths ignored.
    private func ownPath(_ variable: String, inHome name: String) -> String? {
        let given = environment[variable].flatMap { FilePath.isAbsolute($0) ? $0 : nil }
        guard let directory = given ?? home.map({ $0 == "/" ? "/\(name)" : "\($0)/\(name)" }) else { return nil }
        return directory.hasSuffix("/") ? "\(directory)feedsync" : "\(directory)/feedsync"
    }

    /// The URL of a FEED on the command line; a relative path begins in the current directory.
    func feed(_ operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.feed(operand, currentDirectory: currentDirectory, isFile: fileExists)
    }

    /// The same of an image.
    func image(_ operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.url(operand, currentDirectory: currentDirectory, isFile: fileExists)
    }
}

let noHome = "neither HOME nor the user's account names a home directory"

/// Text with U+FFFD in it stands for bytes that are no UTF-8, and would name another file.
func isMended(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }
