import FeedCore

/// Where the config file is, and what holds if it isn't there.
enum ConfigLocation {
    /// Nil where there is none and none was asked for.
    static func read(_ choice: Settings.ConfigChoice, _ surroundings: Surroundings) throws(UsageError) -> ConfigFile? {
        let path: String
        switch choice {
        case .none: return nil
        case .file(let given): path = given
        case .usual:
            guard let usual = usualPath(surroundings) else { return nil }
            path = usual
        }
        guard let bytes = try bytes(path, surroundings) else {
            guard choice != .usual else { return nil }
            throw UsageError("\(TerminalText.escape(path)): there is no such config file", exitCode: .notFound)
        }
        return try ConfigFile(bytes, at: path, surroundings)
    }

    private static func bytes(_ path: String, _ surroundings: Surroundings) throws(UsageError) -> [UInt8]? {
        do {
            return try surroundings.readFile(path).get()
        } catch {
            throw UsageError(
                TerminalText.escape("\(path): the config file can't be read: \(error.message)"),
                hint: "--no-config does without", exitCode: .configuration)
        }
    }

    static func usualPath(_ surroundings: Surroundings) -> String? {
        // The XDG specification has relative paths ignored.
        if let folder = surroundings.environment["XDG_CONFIG_HOME"], FilePath.isAbsolute(folder) {
            return "\(folder)/feedsync/config"
        }
        return surroundings.home.map { "\($0)/.config/feedsync/config" }
    }
}
