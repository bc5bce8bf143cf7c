/// Makes the completion script of a shell from the tables.
enum Completions {
    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletions.text
        case .zsh: ZshCompletions.text
        case .fish: FishCompletions.text
        }
    }
}

/// Makes the completion script for zsh.
enum ZshCompletions {
    static var text: String {
        """
        #compdef feedsync
        # zsh completion for feedsync, made by: feedsync completions zsh

        _feedsync_feeds() {
            local -a feeds cache_options
            local option value
            for option in --cache --config; do
                value=${(Q)opt_args[$option]}
                [[ -n $value ]] && cache_options+=("$option=${value/#\\~\\//$HOME/}")
            done
            (( ${+opt_args[--no-config]} )) && cache_options+=(--no-config)
            feeds=(${(f)"$(feedsync completions \(CommandTable.savedFeedsSubject) $cache_options 2>/dev/null </dev/null)"})
            compadd "$@" -a feeds
        }

        _feedsync_operands() {
            local -a commands
            commands=(
        \(commands)
            )
            case $feedsync_command in
                help) _values 'command or topic' \(CommandTable.helpSubjects.joined(separator: " ")) ;;
                completions) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
                \(CommandTable.withoutCompletions.joined(separator: "|"))) _message 'no completions' ;;
                '')
                    local -a feeds
                    [[ -n $PREFIX ]] && feeds=('saved:saved feed:_feedsync_feeds')
                    _alternative 'commands:command:{_describe command commands}' $feeds 'files:feed:_files'
                    ;;
                \(CommandTable.takingOnlyPaths.joined(separator: "|"))) _files ;;
                \(CommandTable.takingFeedsAfterPath.joined(separator: "|")))
                    if (( $#line > 2 )); then
                        _alternative 'saved:saved feed:_feedsync_feeds' 'files:feed:_files'
                    else
                        _files
                    fi
                    ;;
                *) _alternative 'saved:saved feed:_feedsync_feeds' 'files:feed:_files' ;;
            esac
        }

        _feedsync() {
            local feedsync_command=${words[2,CURRENT-1][(r)(\(names))]}
            local -a options
            case $feedsync_command in
        \(CommandTable.all.filter { $0.name != CommandTable.sync.name }.map { entry($0, $0.name) }.joined())\
        \(entry(CommandTable.sync, "*"))\
            esac
            _arguments -s -S $options '*: :_feedsync_operands'
        }

        if [[ ${funcstack[1]} == _feedsync ]]; then
            _feedsync "$@"
        else
            compdef _feedsync feedsync
        fi

        """
    }

    private static let names = CommandTable.all.map(\.name).joined(separator: "|")

    private static var commands: String {
        CommandTable.all.map { "        \(Shell.zsh.quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n")
    }

    private static func entry(_ spec: CommandSpec, _ pattern: String) -> String {
        let options = spec.options.map { "            \(self.option($0))\n" }.joined()
        return "        \(pattern)) options=(\n\(options)        ) ;;\n"
    }

    /// Returns the specification of an option for `_arguments`: names, meaning, and values.
    private static func option(_ option: OptionSpec) -> String {
        let meaning = "[\(escaped(option.help))]"
        let value = option.placeholder.map { ":\(escaped($0)):\(values(option.values))" } ?? ""
        // A list option may be repeated.
        let many = option.isList ? "*" : ""
        guard let short = option.short else {
            return Shell.zsh.quoted("\(many)--\(option.long)\(option.isFlag ? "" : "=")\(meaning)\(value)")
        }
        let names = option.isFlag ? "{-\(short),--\(option.long)}" : "{-\(short)+,--\(option.long)=}"
        let others = many.isEmpty ? Shell.zsh.quoted("(-\(short) --\(option.long))") : Shell.zsh.quoted(many)
        return others + names + Shell.zsh.quoted(meaning + value)
    }

    private static func values(_ kind: ValueKind) -> String {
        switch kind {
        case .text: ""
        case .file: "_files"
        case .directory: "_files -/"
        case .feed: "_feedsync_feeds"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}

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

    /// The functions of the script.
    ///
    /// The first prints the URLs of the saved feeds. The second says whether the cursor is after the path of `gallery`
    /// or `export`.
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

    /// Returns the condition under which a FEED can follow; nil if the command takes none.
    ///
    /// Without a command, feeds are offered once something is typed.
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
        case .none, .words: words = []
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
        case .feed: " -x -a '(__feedsync_feeds)'"
        case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        }
    }

    private static func quoted(_ text: String) -> String { Shell.fish.quoted(text) }
}
