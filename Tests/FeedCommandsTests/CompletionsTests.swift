import Glibc
import TestSupport
import Testing

@testable import FeedCommands

@Suite("Completions, asked of the shells themselves")
struct CompletionsTests {
    private let directory: TemporaryDirectory
    /// A directory with a `feedsync` that only prints saved feeds, of the default cache and of another one.
    private let programs: TemporaryDirectory
    private static let commands = CommandTable.all.map(\.name)

    init() throws {
        programs = try TemporaryDirectory()
        let program = try programs.write(
            #"""
            #!/bin/sh
            case "$*" in
                'completions feeds')
                    if [ -f "$HOME/feeds" ]; then exec cat "$HOME/feeds"; fi
                    printf '%s\n' http://127.0.0.1:8080/feed.json 'http://127.0.0.1:8080/other?a=1&b=2'
                    ;;
                'show '*) printf %s "$2" | od -An -v -tx1 | tr -d ' \n' | sed 's/.*/got <&>/' ;;
                'completions feeds --cache=there'*) echo http://127.0.0.1:8080/elsewhere ;;
                *) exit 64 ;;
            esac

            """#, to: "feedsync")
        guard chmod(program, 0o755) == 0 else { throw SystemFailure.last("chmod \(program)") }
        directory = try TemporaryDirectory()
        try directory.makeDirectory("sub")
        try directory.write("", to: "file.json")
    }

    private func surroundings(knowingFeeds: Bool) -> [String: String] {
        ["HOME": programs.path, "PATH": "\(knowingFeeds ? programs.path + ":" : "")/usr/bin:/bin", "TERM": "xterm"]
    }

    /// Returns what bash offers for the last of `words`.
    private func bash(_ words: String..., knowingFeeds: Bool = false) async throws -> Set<String> {
        let script = """
            set -u
            cd "$1"; shift
            source /dev/stdin
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
            _feedsync
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await Subprocess.run(
            "bash", ["--norc", "-c", script, "bash", directory.path, "feedsync"] + words,
            environment: surroundings(knowingFeeds: knowingFeeds),
            standardInput: Array(Completions.script(for: .bash).utf8))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return Set(result.outputText.split(separator: "\n").map(String.init))
    }

    /// Returns what fish offers for the end of `line`.
    private func fish(_ line: String, knowingFeeds: Bool = false) async throws -> Set<String> {
        let result = try await Subprocess.run(
            "fish", ["--no-config", "-c", #"cd $argv[1]; source; complete -C "$argv[2]""#, directory.path, line],
            environment: surroundings(knowingFeeds: knowingFeeds),
            standardInput: Array(Completions.script(for: .fish).utf8))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return Set(result.outputText.split(separator: "\n").map { String($0.split(separator: "\t")[0]) })
    }

    /// Returns the specifications that `_arguments` of zsh receives.
    private func zsh(_ words: String...) async throws -> String {
        let script = """
            emulate zsh
            compdef() { }
            _arguments() { print -rl -- "$@" }
            eval "$(cat)"
            words=(feedsync "$@") CURRENT=$(($# + 1))
            _feedsync
            """
        let result = try await Subprocess.run(
            "zsh", ["-f", "-c", script, "zsh"] + words, standardInput: Array(Completions.script(for: .zsh).utf8))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return result.outputText
    }

    /// Expects that the shell shows a match of `offered` after a user types the line and a tab.
    private func expect(_ offered: String, of shell: Shell, at line: String) async throws {
        try directory.write(Completions.script(for: shell), to: "_feedsync")
        let (call, setUp) =
            shell == .zsh
            ? ("zsh -f -i", "LISTMAX=0; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D")
            : ("bash --norc -i", "source ./_feedsync; rm _feedsync")
        // Each read returns when the output matches its pattern.
        let script = #"""
            zmodload zsh/zpty
            # bash shows what is typed where the terminal would.
            zpty -e z "$4"
            zpty -w z "PS1=; cd ${(q)1}; $5; echo READ''Y"
            zpty -r z shown '*READY*'
            zpty -w -n z "$2"$'		'
            zpty -r z shown "$3" && print found
            zpty -d z
            """#
        let result = try await Subprocess.run(
            "timeout",
            ["-k", "1", "120", "zsh", "-f", "-c", script, "zsh", directory.path, line, offered, call, setUp],
            environment: surroundings(knowingFeeds: true))
        #expect(result.outputText == "found\n", "\(result.errorText)")
    }

    @Test(
        "zsh completes values after a command when a user types",
        arguments: [
            ("feedsync status --log-format ", "*json*text*"), ("feedsync sync -j 4 --progress=", "*always*auto*never*"),
            ("feedsync completions ", "*bash*fish*zsh*"), ("feedsync help ex", "*exit-codes*export*"),
            ("feedsync image -o fi", "*file.json*"),
        ])
    func typed(line: String, offered: String) async throws {
        try await expect(offered, of: .zsh, at: line)
    }

    @Test(
        "bash and zsh complete the URLs of saved feeds with their : = ? and & when a user types",
        arguments: [Shell.bash, .zsh],
        [
            ("show htt", "*p://127.0.0.1:8080/*"), ("http://127.0.0.1:8080/f", "*:8080/feed.json*"),
            ("remove ./x http://127.0.0.1:8080/o", #"*:8080/other\\?a=1\\&b=2*"#),
            (#"sync http://127.0.0.1:8080/other\?a="#, #"*:8080/other\\?a=1\\&b=2*"#),
            (#"show "http:"#, "*//127.0.0.1:8080/*"), ("image h", "*ttp://127.0.0.1:8080/*"),
            ("gallery --json sub http://127.0.0.1:8080/o", "*:8080/other*b=2*"),
            ("export file.json h", "*ttp://127.0.0.1:8080/*"),
            ("remove --cache there h", "*:8080/elsewhere*"), ("--cache=there show h", "*:8080/elsewhere*"),
        ])
    func feeds(shell: Shell, _ typed: (line: String, offered: String)) async throws {
        try await expect(typed.offered, of: shell, at: "feedsync \(typed.line)")
    }

    /// URLs with characters that a shell would interpret.
    private static let hostileURLs = [
        "http://h/$(touch${IFS}made)", "http://h/`touch${IFS}made`", "http://h/a'b", #"http://h/a"b"#,
        #"http://h/a\b"#, "http://h/a!b", "http://h/!!", "http://h/a;touch${IFS}made", "http://h/a&touch${IFS}made&",
        "http://h/a%20b?c=*#d", #"http://h/'"$(touch${IFS}made)"'"#, "http://h/~{a,b}[c]<d>(e)|^%",
        #"http://h/$HOME/$'a'""#,
    ]

    /// Returns the argument of `feedsync show` after a user types the text, a tab and a return, for each of the URLs as
    /// the only saved feed.
    private func shown(by shell: Shell, at typed: String, _ urls: [String]) async throws -> [String] {
        try directory.write(Completions.script(for: shell), to: "_feedsync")
        let (call, setUp) =
            switch shell {
            case .bash: ("bash --norc -i", "PS1=; source ./_feedsync; set -o history -o histexpand")
            case .zsh: ("zsh -f -i", "PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D")
            case .fish: ("fish --no-config -i", "function fish_prompt; end; source ./_feedsync")
            }
        let script = #"""
            zmodload zsh/zpty
            dir=$1 typed=$2 call=$3 setup=$4; shift 4
            zpty -e z "$call"
            zpty -w z "cd ${(q)dir}; $setup; echo READ''Y"
            zpty -r z shown '*READY*'
            for url; do
                print -r -- $url > $HOME/feeds
                zpty -w -n z "feedsync show $typed"$'\t\n'
                zpty -r z shown '*got <[0-9a-f]##>*' || break
                [[ $shown =~ 'got <([0-9a-f]*)>' ]] && print -r -- $match[1]
            done
            zpty -d z
            """#
        let result = try await Subprocess.run(
            "timeout",
            [
                "-k", "1", "300", "zsh", "-f", "-o", "extendedglob", "-c", script, "zsh", directory.path, typed, call,
                setUp,
            ]
                + urls,
            environment: surroundings(knowingFeeds: true))
        return result.outputText.split(separator: "\n").map { hex in
            let digits = Array(hex)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            return String(decoding: bytes.compactMap { $0 }, as: UTF8.self)
        }
    }

    @Test(
        "a completed URL means itself, whatever it contains and whichever quote is open",
        arguments: [Shell.bash, .zsh, .fish], ["", "'", "\""])
    func hostileURLs(shell: Shell, quote: String) async throws {
        #expect(try await shown(by: shell, at: "\(quote)http", Self.hostileURLs) == Self.hostileURLs)
        #expect(Set(TemporaryDirectory.names(in: directory.path)) == ["_feedsync", "file.json", "sub"])
    }

    @Test(
        "bash completes a partly typed URL inside and outside quotes",
        arguments: [
            #""http://h/\$("#, #"http://h/\$\("#, "'http://h/$(", #"http://h/"\$("#, #""http"://h/"\$""#,
            "http://h/'$'", #""http://h/"'$('"#,
        ])
    func typedInPart(typed: String) async throws {
        let url = "http://h/$(touch${IFS}made)"
        #expect(try await shown(by: .bash, at: typed, [url]) == [url])
        #expect(!TemporaryDirectory.names(in: directory.path).contains("made"))
    }

    @Test("shells complete the URLs of saved feeds wherever a feed is expected, and only there")
    func feedPlaces() async throws {
        let saved: Set = ["http://127.0.0.1:8080/feed.json", "http://127.0.0.1:8080/other?a=1&b=2"]
        let quoted = Set(saved.map { $0.replacing("?", with: "\\?").replacing("&", with: "\\&") })
        for command in ["sync", "show", "image", "remove", "status"] {
            #expect(try await bash(command, "", knowingFeeds: true) == quoted.union(["sub", "file.json"]))
            #expect(try await fish("feedsync \(command) ", knowingFeeds: true).isSuperset(of: saved))
        }
        for (command, first) in [("export", "file.json"), ("gallery", "sub")] {
            #expect(try await bash(command, "h", knowingFeeds: true) == [])
            #expect(try await fish("feedsync \(command) h", knowingFeeds: true) == [])
            #expect(try await bash(command, first, "h", knowingFeeds: true) == quoted)
            #expect(try await fish("feedsync \(command) \(first) h", knowingFeeds: true) == saved)
        }
        for command in ["import", "validate"] {
            #expect(try await bash(command, "h", knowingFeeds: true) == [])
            #expect(try await fish("feedsync \(command) h", knowingFeeds: true) == [])
        }
        // Feeds are offered without a command only after something is typed, because they would hide the commands.
        #expect(try await bash("", knowingFeeds: true).isDisjoint(with: quoted))
        #expect(try await fish("feedsync ", knowingFeeds: true).isDisjoint(with: saved))
        #expect(try await bash("h", knowingFeeds: true) == quoted.union(["help"]))
        #expect(try await fish("feedsync h", knowingFeeds: true) == saved.union(["help"]))
        for line in ["feedsync --cache there show h", "feedsync show --cache=there h"] {
            #expect(try await fish(line, knowingFeeds: true) == ["http://127.0.0.1:8080/elsewhere"])
        }
    }

    @Test("shells complete exactly the options of each command", arguments: commands)
    func options(command: String) async throws {
        let spec = try #require(CommandTable.named(command))
        let long = Set(spec.options.map { "--\($0.long)" })
        #expect(try await bash(command, "--") == long)
        let short = spec.options.compactMap(\.short).map { "-\($0)" }
        #expect(try await bash(command, "-") == long.union(short))
        let fishLong = try await fish("feedsync \(command) --").map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }
        #expect(Set(fishLong) == long)
        let zsh = try await zsh(command, "--")
        for option in OptionTable.all {
            let names = zsh.split(separator: "\n").filter {
                $0.contains("--\(option.long)[") || $0.contains("--\(option.long)=[")
            }
            #expect(names.count == (spec.takes(option) ? 1 : 0), "--\(option.long)")
            #expect(names.allSatisfy { $0.contains(option.placeholder.map { ":\($0):" } ?? "]") })
        }
    }

    @Test("shells complete commands, files and the options of sync without a command")
    func none() async throws {
        let commands = Set(Self.commands)
        #expect(try await bash("") == commands.union(["sub", "file.json"]))
        #expect(try await bash("s") == ["sync", "show", "status", "sub"])
        #expect(try await bash("--max-age", "7d", "sh") == ["show"])
        #expect(try await fish("feedsync s").isSuperset(of: ["sync", "show", "status"]))
        let sync = Set(CommandTable.sync.options.map { "--\($0.long)" })
        #expect(try await bash("--") == sync)
        #expect(try await zsh("--").contains("--metrics-file="))
    }

    @Test(
        "shells complete the words of an option that takes one of a few words",
        arguments: ["--progress", "--log-format"])
    func words(option: String) async throws {
        guard case .words(let words) = OptionTable.long(option.dropFirst(2))?.values else {
            Issue.record("no words")
            return
        }
        #expect(try await bash("sync", option, "") == Set(words))
        #expect(try await bash("sync", option, "=") == Set(words))
        #expect(try await bash(option, "=", String(words[0].prefix(2))) == [words[0]])
        #expect(try await fish("feedsync sync \(option) ") == Set(words))
        #expect(try await zsh("sync", "").contains("(\(words.joined(separator: " ")))"))
    }

    @Test("shells complete existing files or directories for an option that takes one")
    func files() async throws {
        #expect(try await bash("sync", "--metrics-file", "") == ["sub", "file.json"])
        #expect(try await bash("sync", "--cache", "") == ["sub"])
        #expect(try await bash("sync", "--max-age", "") == [])
        #expect(try await fish("feedsync sync --cache ") == ["sub/"])
        #expect(try await fish("feedsync sync --metrics-file f") == ["file.json"])
    }

    @Test("shells complete a directory for gallery, and then files for its feeds")
    func directoryAndFeeds() async throws {
        #expect(try await bash("gallery", "") == ["sub"])
        #expect(try await bash("--cache", "x", "gallery", "--max-age", "=", "7d", "--json", "s") == ["sub"])
        #expect(try await bash("gallery", "sub", "") == ["sub", "file.json"])
        #expect(try await bash("gallery", "sub", "--json", "f") == ["file.json"])
    }

    @Test("shells complete only options after a command without operands")
    func noOperands() async throws {
        #expect(try await bash("validate", "") == [])
        #expect(try await fish("feedsync validate ") == [])
    }

    @Test("shells complete commands and topics for help, and shells for completions")
    func others() async throws {
        let subjects = Set(Self.commands + HelpTopic.allCases.map(\.rawValue))
        #expect(try await bash("help", "") == subjects)
        #expect(try await bash("completions", "") == ["bash", "zsh", "fish"])
        #expect(try await fish("feedsync completions ") == ["bash", "zsh", "fish"])
        #expect(try await fish("feedsync help ") == subjects)
    }

    @Test("completions of an unknown shell are refused with a hint") func unknown() {
        let error = usageError(["completions", "fihs"])
        #expect(error == UsageError("no completions for 'fihs'", hint: "did you mean fish?"))
        #expect(usageError(["completions"])?.message == "completions needs one of bash, zsh and fish")
    }
}
