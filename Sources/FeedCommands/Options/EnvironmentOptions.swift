/// Options that stand in the environment as `FEEDSYNC_NAME`.
enum EnvironmentOptions {
    /// These say where a user's directories are.
    private static let directories: Set<String> = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]

    /// In the order of their names, so that of several mistakes the same is told each time. An empty variable counts as
    /// none: it is how one is unset for a single command.
    static func read(_ world: any World) throws(UsageError) -> [GivenOption] {
        for (name, value) in world.environment.sorted(by: { $0.key < $1.key })
        where isMended(value) && (isOurs(name, value) || directories.contains(name)) {
            throw UsageError("\(TerminalText.escape(name)): is not UTF-8 text", exitCode: .configuration)
        }
        var given: [GivenOption] = []
        var scratch = Settings()
        let ours = world.environment.filter { isOurs($0.key, $0.value) }
        for (name, value) in ours.sorted(by: { $0.key < $1.key }) {
            guard let option = OptionTable.variable(name) else {
                throw UsageError(
                    "unknown variable '\(TerminalText.escape(name))' in the environment",
                    hint: hint(for: name),
                    exitCode: .configuration)
            }
            guard !value.isEmpty else { continue }
            // cron and systemd set variables without a shell, and leave a ~ as it is.
            guard let value = option.isPath ? world.expandingHome(value) : value else {
                throw UsageError("\(name): \(noHome) for ~", exitCode: .configuration)
            }
            let one = GivenOption(option: option, spelling: name, value: value)
            try scratch.apply([one], blaming: .configuration)
            given.append(one)
        }
        return given
    }

    private static func isOurs(_ name: String, _ value: String) -> Bool {
        name.hasPrefix(OptionSpec.variablePrefix)
            && !isOfService(name.dropFirst(OptionSpec.variablePrefix.count), value)
    }

    /// Beside a service of our name, or of one that begins with it, Kubernetes and `docker --link` tell every container
    /// where that is: nobody gave these as options.
    private static func isOfService(_ name: Substring, _ value: String) -> Bool {
        let words = name.split(separator: "_")
        return words.contains("PORT") || words.suffix(2) == ["SERVICE", "HOST"]
            || words.first == "ENV"
            // A container's name, which no template for a tree's files can be.
            || words == ["NAME"] && (value.hasPrefix("/") || value.contains("//"))
    }

    private static func hint(for name: String) -> String? {
        let prefix = OptionSpec.variablePrefix
        let known = OptionTable.all.compactMap(\.variable).map { String($0.dropFirst(prefix.count)) }
        return Suggestion.hint(for: name.dropFirst(prefix.count), among: known, prefix: prefix)
    }
}
