/// Makes the completion script for bash, which needs only bash itself.
enum BashCompletions {
    static var text: String {
        #"""
        # bash completion for feedsync, made by: feedsync completions bash

        # Adds the saved feeds that begin with what is typed. bash replaces what stands behind the quote that is open, else
        # behind the last : or = outside quotes.
        _feedsync_feeds() {
            local i character plain='' open='' start=0 before=0 feed
            for ((i = 0; i < ${#cur}; i++)); do
                character=${cur:i:1}
                case $open$character in
                    \'\' | \"\") open='' start=$before ;;
                    \"\\)
                        character=${cur:(++i):1}
                        [[ $character == [\"\\\$\`] ]] || plain+='\'
                        plain+=$character
                        ;;
                    [\'\"]?) plain+=$character ;;
                    \\) plain+=${cur:(++i):1} ;;
                    [\"\']) open=$character before=$start start=${#plain} ;;
                    *)
                        plain+=$character
                        [[ $breaks == *"$character"* ]] && start=${#plain}
                        ;;
                esac
            done
            while read -r feed; do
                [[ $feed == "$plain"* ]] || continue
                feed=${feed:start}
                _feedsync_quote
                feeds+=("$feed")
            done < <(feedsync completions \#(CommandTable.savedFeedsSubject) "${cache_options[@]}" 2>/dev/null </dev/null)
        }

        # Writes a URL so that it means itself in the quote that is open. In double quotes, nothing but their end keeps
        # bash from taking a ! for its history.
        _feedsync_quote() {
            local character
            case $open in
                \') feed=${feed//"'"/"'\\''"} ;;
                \")
                    for character in '\' '"' '$' '`'; do feed=${feed//"$character"/"\\$character"}; done
                    feed=${feed//'!'/'"\!"'}
                    ;;
                *) printf -v feed %q "$feed" ;;
            esac
            # bash ends the quote, unless it finds a quote that seems to.
            [[ $open && $feed == *"$open" ]] && feed+=$open
        }

        _feedsync_words() {
            local prev=${words[last-1]} command='' options names=-f operands=0 i value
            if [[ $cur == = ]]; then
                cur=''
            elif [[ $prev == = ]] && ((last > 1)); then
                prev=${words[last-2]}
            fi
            for ((i = 1; i < last; i++)); do
                case ${words[i]} in
                    \#(patterns(of: OptionTable.all.filter { !$0.isFlag })))
                        value=${words[i]}
                        ((i++))
                        [[ ${words[i]} == = ]] && ((i++))
                        case $value in
                            --cache | --config)
                                value+="=${words[i]//[\"\'\\]/}"
                                cache_options+=("${value/=\~\//=$HOME/}")
                                ;;
                        esac
                        ;;
                    --no-config) cache_options+=(--no-config) ;;
                    -*) ;;
                    *) if [[ $command ]]; then ((operands++)); else command=${words[i]}; fi ;;
                esac
            done
            case $prev in
        \#(values)
            esac
            case $command in
        \#(options)
            esac
            if [[ $cur == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
                return
            fi
            case $command in
                '')
                    mapfile -t COMPREPLY < <(compgen -W '\#(commandNames)' -- "$cur")
                    [[ $cur ]] && _feedsync_feeds
                    ;;
                help) mapfile -t COMPREPLY < <(compgen -W '\#(helpSubjects)' -- "$cur"); return ;;
                completions) mapfile -t COMPREPLY < <(compgen -W '\#(shells)' -- "$cur"); return ;;
                \#(CommandTable.withoutCompletions.joined(separator: " | "))) return ;;
                \#(CommandTable.takingOnlyPaths.joined(separator: " | "))) ;;
                \#(CommandTable.takingFeedsAfterPath.joined(separator: " | "))) ((operands)) && _feedsync_feeds ;;
                *) _feedsync_feeds ;;
            esac
            case $command in \#(CommandTable.beginningWithDirectory.joined(separator: " | "))) ((operands)) || names=-d ;; esac
            # What is no file's name is not to be quoted as one.
            ((${#feeds[@]})) || compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$names" -- "$cur")
        }

        _feedsync() {
            local words=("${COMP_WORDS[0]}") last=0 cur word breaks='' i feeds=() cache_options=()
            COMPREPLY=()
            # bash takes each : and = for a word, but none in quotes. They are put together again, but for --name=value.
            for ((i = 1; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if ((last)) && [[ $word == :* || ${words[last]} == *: ]]; then
                    words[last]+=$word
                elif ((last)) && [[ ${words[last]} != [-=]* && ($word == =* || ${words[last]} == *=) ]]; then
                    words[last]+=$word
                else
                    words[++last]=$word
                fi
            done
            cur=${words[last]}
            for word in : =; do [[ ${COMP_WORDBREAKS-} == *"$word"* ]] && breaks+=$word; done
            _feedsync_words
            if [[ $breaks && $cur != [\"\']* ]]; then
                word=${cur%"${cur##*["$breaks"]}"}
                COMPREPLY=("${COMPREPLY[@]#"$word"}")
            fi
            COMPREPLY+=("${feeds[@]}")
        }

        complete -F _feedsync feedsync

        """#
    }

    private static let commandNames = CommandTable.all.map(\.name).joined(separator: " ")
    private static let helpSubjects = CommandTable.helpSubjects.joined(separator: " ")
    private static let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")

    private static func patterns(of options: [OptionSpec]) -> String {
        options.flatMap(\.spellings).joined(separator: " | ")
    }

    /// The branches that complete the value of an option.
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
        add(valued.filter { $0.values == .directory }, "\(names) -d -- \"$cur\"); ")
        add(valued.filter { $0.values == .file }, "\(names) -f -- \"$cur\"); ")
        add(valued.filter { $0.values == .feed }, "_feedsync_feeds; ")
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
