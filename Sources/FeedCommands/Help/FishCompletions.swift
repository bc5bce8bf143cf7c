/// Makes the completion script for fish.
enum FishCompletions {
    static var text: String {
        var lines = [
            "# fish completion for feedsync, made by: feedsync completions fish", "", feeds, "",
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

    /// The functions of the script. The first prints the URLs of the saved feeds. The second says whether the cursor is
    /// after the path of `gallery` or `export`.
    private static let feeds = #"""
        function __feedsync_feeds
            set -l words (commandline -opc)
            set -l cache_options
            for number in (seq (count $words))
                switch $words[$number]
                    case --cache --config
                        set -a cache_options $words[$number]=(string replace -r '^~/' "$HOME/" -- $words[(math $number + 1)])
                    case '--cache=*' '--config=*' --no-config
                        set -a cache_options $words[$number]
                end
            end
            type -q feedsync; or return
            feedsync completions \#(CommandTable.savedFeedsSubject) $cache_options 2>/dev/null </dev/null
        end

        function __feedsync_is_behind_path
            test (count (string match -v -- '-*' (commandline -opc))) -gt 2
        end
        """#

    /// Returns the condition under which a FEED can follow; nil if the command takes none. Without a command, feeds are
    /// offered once something is typed.
    private static func feedCondition(_ spec: CommandSpec, _ condition: String) -> String? {
        guard spec.operand.namesFeeds else { return nil }
        if spec.operand.takesPath { return "\(condition); and __feedsync_is_behind_path" }
        guard spec.name == CommandTable.sync.name else { return condition }
        let isMeant = "__fish_seen_subcommand_from \(spec.name); or string length -q -- (commandline -ct)"
        return "\(condition); and begin; \(isMeant); end"
    }

    private static func operands(_ spec: CommandSpec, _ condition: String) -> [String] {
        let words: [String]
        switch spec.operand {
        case .feed, .image, .archive, .archiveAndFeeds, .directoryAndFeeds:
            return feedCondition(spec, condition).map {
                ["complete -c feedsync -n \(quoted($0)) -a '(__feedsync_feeds)' -d 'saved feed'"]
            } ?? []
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
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        }
    }

    private static func quoted(_ text: String) -> String { Shell.fish.quoted(text) }
}
