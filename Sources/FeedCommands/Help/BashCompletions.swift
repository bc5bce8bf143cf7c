/// Needs nothing but bash itself.
enum BashCompletions {
    static var text: String {
        """
        # bash completion for feedsync, made by: feedsync completions bash

        _feedsync() {
            local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' options names=-f operands=0 i
            COMPREPLY=()
            # bash takes the = of --name=value for a word.
            if [[ $cur == = ]]; then
                cur=''
            elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
                prev=${COMP_WORDS[COMP_CWORD-2]}
            fi
            for ((i = 1; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                    \(patterns(of: OptionTable.all.filter { !$0.isFlag })))
                        ((i++))
                        [[ ${COMP_WORDS[i]} == = ]] && ((i++))
                        ;;
                    -*) ;;
                    *) if [[ $command ]]; then ((operands++)); else command=${COMP_WORDS[i]}; fi ;;
                esac
            done
            case $prev in
        \(values)
            esac
            case $command in
        \(options)
            esac
            if [[ $cur == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
                return
            fi
            case $command in
                '') mapfile -t COMPREPLY < <(compgen -W '\(commandNames)' -- "$cur") ;;
                help) mapfile -t COMPREPLY < <(compgen -W '\(helpSubjects)' -- "$cur"); return ;;
                completions) mapfile -t COMPREPLY < <(compgen -W '\(shells)' -- "$cur"); return ;;
                \(CommandTable.withoutOperands.joined(separator: " | "))) return ;;
                \(CommandTable.beginningWithFolder.joined(separator: " | "))) ((operands)) || names=-d ;;
            esac
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$names" -- "$cur")
        }

        complete -F _feedsync feedsync

        """
    }

    private static let commandNames = CommandTable.all.map(\.name).joined(separator: " ")
    private static let helpSubjects = CommandTable.helpSubjects.joined(separator: " ")
    private static let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")

    private static func patterns(of options: [OptionSpec]) -> String {
        options.flatMap(\.spellings).joined(separator: " | ")
    }

    /// The values that can follow an option.
    private static var values: String {
        var cases: [String] = []
        func add(_ options: [OptionSpec], _ action: String) {
            if !options.isEmpty { cases.append("        \(patterns(of: options))) \(action)return ;;") }
        }
        let valued = OptionTable.all.filter { !$0.isFlag }
        for option in valued {
            guard case .words(let words) = option.values else { continue }
            let list = Shell.bash.quoted(words.joined(separator: " "))
            add([option], "mapfile -t COMPREPLY < <(compgen -W \(list) -- \"$cur\"); ")
        }
        let names = "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen"
        add(valued.filter { $0.values == .folder }, "\(names) -d -- \"$cur\"); ")
        add(valued.filter { $0.values == .file }, "\(names) -f -- \"$cur\"); ")
        add(valued.filter { $0.values == .text }, "")
        return cases.joined(separator: "\n")
    }

    private static var options: String {
        let others = CommandTable.all.filter { $0.name != CommandTable.sync.name }
        return (others.map { ($0.name, $0) } + [("*", CommandTable.sync)]).map { pattern, spec in
            "        \(pattern)) options='\(spec.options.flatMap(\.spellings).joined(separator: " "))' ;;"
        }.joined(separator: "\n")
    }
}
