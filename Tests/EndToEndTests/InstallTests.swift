import Glibc
import TestSupport
import Testing

@Suite("Installing", .timeLimit(.minutes(10)))
struct InstallTests {
    private let program: Program
    private let prefix: String

    init() throws {
        program = try Program()
        prefix = program.directory.path("pre fix")
        try program.directory.makeDirectory("bin")
    }

    private static let scripts =
        Fixtures.directory.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/scripts"
    private static let script = "\(scripts)/install"

    private func install(_ arguments: String...) async throws -> ProcessResult {
        try await program.shell(
            #"script=$1; shift; exec "$script" --binary "$feedsync" "$@""#, [Self.script] + arguments)
    }

    /// Runs a command as a user other than root, with stand-ins for some programs.
    ///
    /// The checkout may lie in root's home, so the user gets the right to search every directory if possible.
    private func runAsAnother(_ command: [String], with programs: [String: String]) async throws -> ProcessResult {
        for (name, script) in programs {
            try program.directory.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
        }
        return try await program.shell(
            #"""
            chmod 755 "$HOME"; chmod 755 "$HOME"/bin/*; PATH=$HOME/bin:$PATH
            [ "$(id -u)" = 0 ] || exec "$@"
            another="setpriv --reuid=65534 --regid=65534 --clear-groups"
            looking="--inh-caps=+dac_read_search --ambient-caps=+dac_read_search"
            $another $looking true 2>/dev/null || looking=
            exec $another $looking "$@"
            """#, command)
    }

    /// Returns every file below a directory by its path there.
    private func files(in directory: String) async throws -> [String] {
        let found = try await Subprocess.run("find", [directory, "-type", "f", "-printf", "%P %m\n"])
        return found.outputText.split(separator: "\n").map(String.init).sorted()
    }

    @Test("install puts the program, manual page, completions and units in place, and uninstall removes them")
    func everything() async throws {
        let result = try await install("--prefix", prefix)
        #expect(result.status == .exited(0), "\(result.errorText)")
        // systemd and zsh search only the standard prefixes.
        for hint in ["systemctl link '\(prefix)/lib/systemd/system/feedsync.service' && ", "fpath+=('\(prefix)/share/"]
        {
            #expect(result.outputText.contains(hint), "\(result.outputText)")
        }
        #expect(
            try await files(in: prefix) == [
                "bin/feedsync 755", "lib/systemd/system/feedsync.service 644", "lib/systemd/system/feedsync.timer 644",
                "share/bash-completion/completions/feedsync 644", "share/fish/vendor_completions.d/feedsync.fish 644",
                "share/man/man1/feedsync.1 644", "share/zsh/site-functions/_feedsync 644",
            ])
        let version = try await Subprocess.run("\(prefix)/bin/feedsync", ["--version"])
        #expect(version.outputText == "feedsync 0.2.0\n")
        let manual = try await program.run("help", "--man").standardOutput
        #expect(try Files.bytes("\(prefix)/share/man/man1/feedsync.1") == manual)
        let completions = try await program.run("completions", "zsh").standardOutput
        #expect(try Files.bytes("\(prefix)/share/zsh/site-functions/_feedsync") == completions)

        // A second run changes nothing.
        #expect(try await install("--prefix", prefix).status == .exited(0))
        try program.directory.write("mine", to: "pre fix/share/mine")
        #expect(try await install("--prefix", prefix, "--uninstall").status == .exited(0))
        #expect(try await files(in: prefix) == ["share/mine 644"])
    }

    @Test("systemd accepts the installed units, which deny the service what it doesn't need")
    func units() async throws {
        let prefix = program.directory.path("prefix")
        #expect(try await install("--prefix", prefix).status == .exited(0))
        let units = "\(prefix)/lib/systemd/system"
        let verify = try await Subprocess.run(
            "systemd-analyze", ["verify", "--man=no", "\(units)/feedsync.service", "\(units)/feedsync.timer"])
        #expect(verify.status == .exited(0), "\(verify.errorText)")
        #expect(verify.outputText + verify.errorText == "")
        // The exposure is in tenths: a service without any confinement has 96.
        let security = try await Subprocess.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=yes", "--threshold=20", "\(units)/feedsync.service"])
        #expect(security.status == .exited(0), "\(security.outputText.suffix(300))")
        let service = String(decoding: try Files.bytes("\(units)/feedsync.service"), as: UTF8.self)
        for line in [
            "Type=oneshot", "SuccessExitStatus=75 143", "ExecStart=\"\(prefix)/bin/feedsync\"", "ProtectSystem=strict",
            "TimeoutStartSec=1d",
        ] {
            #expect(service.contains("\n\(line)\n"), "\(line)")
        }
        let timer = String(decoding: try Files.bytes("\(units)/feedsync.timer"), as: UTF8.self)
        for line in ["RandomizedDelaySec=10min", "Persistent=true"] { #expect(timer.contains("\n\(line)\n")) }
    }

    @Test("install --user needs no root and stays in the home directory")
    func user() async throws {
        let result = try await install("--user")
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.outputText.contains("systemctl --user enable --now feedsync.timer"))
        let local = program.directory.path(".local")
        let installed = try await files(in: local)
        #expect(installed.contains("bin/feedsync 755"))
        #expect(installed.contains("share/systemd/user/feedsync.service 644"))
        #expect(installed.count == 7)
        let units = "\(local)/share/systemd/user"
        let service = String(decoding: try Files.bytes("\(units)/feedsync.service"), as: UTF8.self)
        #expect(service.contains("\nTimeoutStartSec=1d\n"))
        let verify = try await Subprocess.run(
            "systemd-analyze",
            ["verify", "--user", "--man=no", "\(units)/feedsync.service", "\(units)/feedsync.timer"],
            environment: [
                "HOME": program.directory.path, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": program.directory.path,
            ])
        #expect(verify.status == .exited(0), "\(verify.errorText)")
        #expect(!verify.errorText.contains("feedsync"), "\(verify.errorText)")
        #expect(try await install("--user", "--uninstall").status == .exited(0))
        #expect(try await files(in: program.directory.path) == [])
    }

    @Test("install --user puts data below XDG_DATA_HOME and the manual page where man finds it")
    func dataHome() async throws {
        let result = try await program.shell(
            #"""
            export XDG_DATA_HOME="$HOME/data"; "$1" --binary "$feedsync" --user >&2
            PATH=$HOME/.local/bin:$PATH exec man -w feedsync
            """#, Self.script)
        #expect(
            result.outputText == program.directory.path(".local/share/man/man1/feedsync.1\n"), "\(result.errorText)")
        #expect(try await files(in: program.directory.path("data")).contains("systemd/user/feedsync.service 644"))
    }

    @Test("uninstall removes everything even without HOME")
    func homeless() async throws {
        #expect(try await install("--prefix", prefix).status == .exited(0))
        let result = try await Subprocess.run(
            Self.script, ["--prefix", prefix, "--uninstall"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(!Files.exists(prefix))
    }

    @Test("uninstall stops only its own timer", arguments: [true, false])
    func timer(isOwn: Bool) async throws {
        let directory = program.directory
        let unit = directory.path("own/share/systemd/user/feedsync.timer")
        // The stand-in prints what systemd would print.
        let systemctl = try directory.write(
            """
            #!/bin/sh
            echo "$*" >>'\(directory.path("calls"))'
            case "$*" in *show*) echo '\(isOwn ? unit : "/usr/lib/systemd/system/feedsync.timer")' ;; esac
            """, to: "bin/systemctl")
        chmod(systemctl, 0o755)
        try directory.makeDirectory("systemd")
        let environment = [
            "HOME": directory.path, "PATH": "\(directory.path("bin")):/usr/bin:/bin", "XDG_RUNTIME_DIR": directory.path,
        ]
        #expect(try await install("--user", "--prefix", directory.path("own")).status == .exited(0))
        let result = try await Subprocess.run(
            Self.script, ["--user", "--prefix", directory.path("own"), "--uninstall"], environment: environment)
        #expect(result.status == .exited(0), "\(result.errorText)")
        let calls = String(decoding: try directory.read("calls"), as: UTF8.self)
        #expect(calls.contains("disable --now feedsync.timer") == isOwn, "\(calls)")
        #expect(!TemporaryDirectory.names(in: directory.path).contains("own"))
    }

    @Test("Relative paths of install are the caller's, and uninstall leaves the directories above the prefix")
    func relative() async throws {
        let directory = try program.directory.makeDirectory("opt")
        func run(_ more: String) async throws -> ProcessResult {
            try await program.shell(
                #"cd "$2" && ln -sf "$feedsync" built && exec "$1" --binary built --prefix own \#(more)"#,
                [Self.script, directory])
        }
        #expect(try await run("").status == .exited(0))
        #expect(TemporaryDirectory.names(in: directory) == ["built", "own"])
        #expect(try await files(in: "\(directory)/own").count == 7)
        #expect(try await run("--uninstall").status == .exited(0))
        #expect(TemporaryDirectory.names(in: directory) == ["built"])
    }

    @Test("install uses sudo for root's directories, and says so first if there is no sudo")
    func rights() async throws {
        let directory = program.directory
        let prefix = try directory.makeDirectory("prefix")
        chmod(prefix, 0o555)
        chmod(try directory.write("", to: "calls"), 0o666)
        let built = try await program.shell(#"printf %s "$feedsync""#).outputText
        let command = [Self.script, "--binary", built, "--prefix", prefix]
        for more in [[], ["--uninstall"]] {
            let sudo = #"[ "$1" = -n ] || echo "$*" >>"$HOME/calls""#
            let result = try await runAsAnother(command + more, with: ["sudo": sudo])
            #expect(result.status == .exited(0), "\(result.errorText)")
        }
        let calls = String(decoding: try directory.read("calls"), as: UTF8.self)
        #expect(calls.contains("install -D -m 755 \(built) \(prefix)/bin/feedsync\n"), "\(calls)")
        #expect(calls.contains("rm -f \(prefix)/bin/feedsync\n"), "\(calls)")

        let result = try await runAsAnother(command, with: ["sudo": "exit 1"])
        #expect(result.status == .exited(1))
        #expect(
            result.errorText
                == "scripts/install: only root can write to \(prefix); --user and --prefix choose another directory\n")
        #expect(Files.names(in: prefix) == [])
    }

    @Test("install without permission names the command that root has to run")
    func dependencies() async throws {
        let result = try await runAsAnother(
            ["\(Self.scripts)/dependencies", "build"], with: ["dpkg-query": "exit 1", "sudo": "exit 1"])
        #expect(result.status == .exited(1))
        let advice = "; as root, run: \(Self.scripts)/dependencies build\n"
        #expect(result.errorText.hasSuffix(advice), "\(result.errorText)")
    }

    @Test("install with an unknown option is wrong usage and installs nothing")
    func usage() async throws {
        for arguments in [["--prefx", "/x"], ["--prefix"]] {
            let result = try await Subprocess.run(Self.script, arguments)
            #expect(result.status == .exited(64))
        }
    }
}
