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
                \(CommandTable.withoutOperands.joined(separator: "|"))) _message 'no more arguments' ;;
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
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
