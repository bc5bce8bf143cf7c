/// Reads the options in the environment, named `FEEDSYNC_NAME`.
enum EnvironmentOptions {
    /// The variables that determine the user's directories.
    private static let directories: Set<String> = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]

    /// Reads the variables in the order of their names, so that the same mistake is always reported first. An empty
    /// variable counts as unset: a script unsets a variable in this way for a single command.
    static func read(_ world: any World) throws(UsageError) -> [GivenOption] {
        for (name, value) in world.environment.sorted(by: { $0.key < $1.key })
        where hasReplacementCharacter(value) && (isOurs(name, value) || directories.contains(name)) {
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
            // cron and systemd set variables without a shell, which leaves a ~ unexpanded.
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

    /// Returns whether Kubernetes or `docker --link` set the variable. They do so in every container next to a service
    /// whose name begins with feedsync.
    private static func isOfService(_ name: Substring, _ value: String) -> Bool {
        let words = name.split(separator: "_")
        return words.contains("PORT") || words.suffix(2) == ["SERVICE", "HOST"]
            || words.first == "ENV"
            // This is the name of a container. A template of a tree cannot have this form.
            || words == ["NAME"] && (value.hasPrefix("/") || value.contains("//"))
    }

    private static func hint(for name: String) -> String? {
        let prefix = OptionSpec.variablePrefix
        let known = OptionTable.all.compactMap(\.variable).map { String($0.dropFirst(prefix.count)) }
        return Suggestion.hint(for: name.dropFirst(prefix.count), among: known, prefix: prefix)
    }
}
