enum FishCompletions {
    static var text: String {
        var lines = [
            "# fish completion for feedsync, made by: feedsync completions fish", "",
        ]
        let names = CommandTable.all.map(\.name)
        let none = "not __fish_seen_subcommand_from \(names.joined(separator: " "))"
        for spec in CommandTable.all {
            lines.append(
                "complete -c feedsync -n \(quoted(none)) -a \(spec.name) -d \(quoted(spec.summary))")
        }
        let others = names.filter { $0 != CommandTable.sync.name }.joined(separator: " ")
        for spec in CommandTable.all {
            let isSync = spec.name == CommandTable.sync.name
            let condition =
                isSync ? "not __fish_seen_subcommand_from \(others)" : "__fish_seen_subcommand_from \(spec.name)"
            lines.append("")
            lines += operands(spec, condition)
            lines += spec.options.map { option($0, condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func operands(_ spec: CommandSpec, _ condition: String) -> [String] {
        let words: [String]
        switch spec.operand {
        case .feed, .image, .archive, .archiveAndFeeds, .folderAndFeeds: return []
        case .none: words = []
        case .helpSubject: words = CommandTable.helpSubjects
        case .shell: words = Shell.allCases.map(\.rawValue)
        }
        let list = words.isEmpty ? "" : " -a \(quoted(words.joined(separator: " ")))"
        return ["complete -c feedsync -n \(quoted(condition)) -f\(list)"]
    }

    private static func option(_ option: OptionSpec, _ condition: String) -> String {
        let short = option.short.map { " -s \($0)" } ?? ""
        return "complete -c feedsync -n \(quoted(condition))\(short) -l \(option.long)\(values(option)) "
            + "-d \(quoted(option.help))"
    }

    private static func values(_ option: OptionSpec) -> String {
        guard !option.isFlag else { return "" }
        return switch option.values {
        case .text: " -x"
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        }
    }

    private static func quoted(_ text: String) -> String { Shell.fish.quoted(text) }
}
