import TestSupport
import Testing

@testable import FeedCommands

@Suite("Completions, asked of the shells themselves")
struct CompletionsTests {
    private let folder: TemporaryDirectory
    private static let commands = CommandTable.all.map(\.name)

    init() throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("sub")
        try folder.write("", to: "file.json")
    }

    /// What bash offers for the last of `words`.
    private func bash(_ words: String...) async throws -> Set<String> {
        let script = """
            set -u
            cd "$1"; shift
            source /dev/stdin
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
            _feedsync
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await Subprocess.run(
            "bash", ["--norc", "-c", script, "bash", folder.path, "feedsync"] + words,
            standardInput: Array(Completions.script(for: .bash).utf8))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return Set(result.outputText.split(separator: "\n").map(String.init))
    }

    /// What fish offers for the end of `line`.
    private func fish(_ line: String) async throws -> Set<String> {
        let result = try await Subprocess.run(
            "fish", ["--no-config", "-c", #"cd $argv[1]; source; complete -C "$argv[2]""#, folder.path, line],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"],
            standardInput: Array(Completions.script(for: .fish).utf8))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return Set(result.outputText.split(separator: "\n").map { String($0.split(separator: "\t")[0]) })
    }

    /// The specifications that zsh's `_arguments` is given.
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

    @Test(
        "zsh itself, typed at, completes values behind a command too",
        arguments: [
            ("feedsync status --log-format ", "*json*text*"), ("feedsync sync -j 4 --progress=", "*always*auto*never*"),
            ("feedsync completions ", "*bash*fish*zsh*"), ("feedsync help ex", "*exit-codes*export*"),
            ("feedsync image -o fi", "*file.json*"),
        ])
    func typed(line: String, offered: String) async throws {
        try folder.write(Completions.script(for: .zsh), to: "_feedsync")
        // Each read returns when what was shown matches its pattern.
        let script = #"""
            zmodload zsh/zpty
            zpty z zsh -f -i
            zpty -w z "PS1=; LISTMAX=0; cd ${(q)1}; fpath=(\$PWD \$fpath); autoload -U compinit; compinit -u -D; print READ''Y"
            zpty -r z shown '*READY*'
            zpty -w -n z "$2"$'		'
            zpty -r z shown "$3" && print found
            zpty -d z
            """#
        let result = try await Subprocess.run(
            "timeout", ["-k", "1", "120", "zsh", "-f", "-c", script, "zsh", folder.path, line, offered],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin", "TERM": "xterm"])
        #expect(result.outputText == "found\n", "\(result.errorText)")
    }

    @Test("of each command, its options and no others", arguments: commands)
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

    @Test("without a command, the commands, files, and the options of sync")
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

    @Test("of an option that takes one of some words, those", arguments: ["--progress", "--log-format"])
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

    @Test("of an option that takes a file or a folder, those that are there")
    func files() async throws {
        #expect(try await bash("sync", "--metrics-file", "") == ["sub", "file.json"])
        #expect(try await bash("sync", "--cache", "") == ["sub"])
        #expect(try await bash("sync", "--max-age", "") == [])
        #expect(try await fish("feedsync sync --cache ") == ["sub/"])
        #expect(try await fish("feedsync sync --metrics-file f") == ["file.json"])
    }

    @Test("of gallery, folders, and files for the feeds behind that")
    func folderAndFeeds() async throws {
        #expect(try await bash("gallery", "") == ["sub"])
        #expect(try await bash("--cache", "x", "gallery", "--max-age", "=", "7d", "--json", "s") == ["sub"])
        #expect(try await bash("gallery", "sub", "") == ["sub", "file.json"])
        #expect(try await bash("gallery", "sub", "--json", "f") == ["file.json"])
    }

    @Test("nothing but options after a command that takes nothing else", arguments: ["status", "validate"])
    func noOperands(command: String) async throws {
        #expect(try await bash(command, "") == [])
        #expect(try await fish("feedsync \(command) ") == [])
    }

    @Test("of help, the commands and topics; of completions, the shells")
    func others() async throws {
        let subjects = Set(Self.commands + HelpTopic.allCases.map(\.rawValue))
        #expect(try await bash("help", "") == subjects)
        #expect(try await bash("completions", "") == ["bash", "zsh", "fish"])
        #expect(try await fish("feedsync completions ") == ["bash", "zsh", "fish"])
        #expect(try await fish("feedsync help ") == subjects)
    }

    @Test("only of shells that there are") func unknown() {
        let error = usageError(["completions", "fihs"])
        #expect(error == UsageError("no completions for 'fihs'", hint: "did you mean fish?"))
        #expect(usageError(["completions"])?.message == "completions needs one of bash, zsh and fish")
    }
}
