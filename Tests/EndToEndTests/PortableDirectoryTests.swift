import Glibc
import TestSupport
import Testing

/// The script `install.sh` of the portable directory, in a directory with a few small files.
@Suite("The portable directory", .timeLimit(.minutes(10)))
struct PortableDirectoryTests {
    private let program: Program
    private let prefix: String
    private let unpacked: String

    private static let script =
        Fixtures.directory.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        + "/scripts/lib/portable/install.sh"

    init() throws {
        program = try Program()
        prefix = program.directory.path("pre fix")
        unpacked = try program.directory.makeDirectory("unpacked")
    }

    /// Runs a script in the directory that somebody has unpacked.
    private func shell(_ script: String) async throws -> ProcessResult {
        let result = try await program.shell(
            #"""
            set -e; cd "$1"; prefix=$2
            mkdir -p bin lib/feedsync/gconv lib/systemd/system share/doc/feedsync/licences/common share/man/man1
            for file in bin/feedsync lib/feedsync/feedsync; do echo "$file" >$file; chmod 755 $file; done
            ln -sf feedsync lib/feedsync/ld.so
            echo 'ExecStart="@BINDIR@/feedsync"' >lib/systemd/system/feedsync.service
            touch lib/feedsync/gconv/a.so share/doc/feedsync/licences/common/GPL share/man/man1/feedsync.1
            { echo lib/feedsync/files; find bin lib share \( -type f -o -type l \); } | sort -u >list
            mv list lib/feedsync/files; cp "$3" .
            \#(script)
            """#, unpacked, prefix, Self.script)
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result
    }

    /// Returns what is below a directory, one path a line, in the format of find.
    private func found(in directory: String, _ format: String = "%P %y") async throws -> [String] {
        let found = try await Subprocess.run("find", [directory, "-mindepth", "1", "-printf", "\(format)\n"])
        return found.outputText.split(separator: "\n").map(String.init).sorted()
    }

    @Test("What install.sh installs belongs to its caller, who alone can change it, whoever unpacked the files")
    func owner() async throws {
        _ = try await shell(
            #"""
            find . -type f -exec chmod a+w {} +; chmod 6777 bin/feedsync
            [ "$(id -u)" != 0 ] || chown -hR 4711:4712 .
            for umask in 000 077; do umask $umask; ./install.sh --prefix "$prefix" >&2; done
            """#)
        let made = try await found(in: program.directory.path, "%P %U %m %y").filter { $0.hasPrefix("pre fix") }
        let user = geteuid()
        let (folder, file) = ("\(user) 755 d", "\(user) 644 f")
        #expect(
            made == [
                "pre fix \(folder)", "pre fix/bin \(folder)", "pre fix/bin/feedsync \(user) 755 f",
                "pre fix/lib \(folder)", "pre fix/lib/feedsync \(folder)",
                "pre fix/lib/feedsync/feedsync \(user) 755 f",
                "pre fix/lib/feedsync/files \(file)", "pre fix/lib/feedsync/gconv \(folder)",
                "pre fix/lib/feedsync/gconv/a.so \(file)", "pre fix/lib/feedsync/ld.so \(user) 777 l",
                "pre fix/lib/systemd \(folder)", "pre fix/lib/systemd/system \(folder)",
                "pre fix/lib/systemd/system/feedsync.service \(file)", "pre fix/share \(folder)",
                "pre fix/share/doc \(folder)", "pre fix/share/doc/feedsync \(folder)",
                "pre fix/share/doc/feedsync/licences \(folder)", "pre fix/share/doc/feedsync/licences/common \(folder)",
                "pre fix/share/doc/feedsync/licences/common/GPL \(file)", "pre fix/share/man \(folder)",
                "pre fix/share/man/man1 \(folder)", "pre fix/share/man/man1/feedsync.1 \(file)",
            ])
        let unit = try Files.bytes("\(prefix)/lib/systemd/system/feedsync.service")
        #expect(String(decoding: unit, as: UTF8.self) == "ExecStart=\"\(prefix)/bin/feedsync\"\n")
    }

    @Test("install.sh --uninstall removes what it made, with its directories, also after an update")
    func uninstalled() async throws {
        _ = try await shell(
            #"""
            touch lib/feedsync/older.so share/doc/feedsync/older; mkdir -p "$prefix/share/man"
            printf 'lib/feedsync/older.so\nshare/doc/feedsync/older\n' >>lib/feedsync/files
            ./install.sh --prefix "$prefix" >&2
            sed -i /older/d lib/feedsync/files; ./install.sh --prefix "$prefix/" >&2
            [ ! -e "$prefix/lib/feedsync/older.so" ]
            touch "$prefix/bin/mine"; mkdir "$prefix/share/empty"
            ./install.sh --prefix "$prefix" --uninstall
            """#)
        #expect(try await found(in: prefix) == ["bin d", "bin/mine f", "share d", "share/empty d", "share/man d"])
        // Version 0.2.0 noted no directories.
        _ = try await shell(
            #"""
            rm -r "$prefix"; ./install.sh --prefix "$prefix" >&2; sed -i '/\/$/d' "$prefix/lib/feedsync/files"
            ./install.sh --prefix "$prefix" --uninstall
            """#)
        #expect(try await found(in: prefix, "%P").allSatisfy { !$0.contains("feedsync") })
        _ = try await shell(
            #"rm -r "$prefix"; ./install.sh --prefix "$prefix"; ./install.sh --prefix "$prefix" --uninstall"#)
        #expect(!Files.exists(prefix))
    }

    @Test("install.sh deletes nothing outside its prefix, and no file of another program, whatever its list says")
    func hostileList() async throws {
        let precious = ["feedsync", "gconv/feedsync", "share/feedsync/page"]
        let result = try await shell(
            #"""
            outside=${prefix%/*}/outside; mkdir -p "$outside/gconv" "$outside/share/feedsync"
            touch "$outside/feedsync" "$outside/gconv/feedsync" "$outside/share/feedsync/page"
            plant() {
                ./install.sh --prefix "$prefix" >&2
                touch "$prefix/bin/ls"
                ln -sfn "$outside/gconv" "$prefix/lib/feedsync/elsewhere"; ln -sfn "$outside/share" "$prefix/elsewhere"
                printf '%s\n' ../outside/feedsync lib/feedsync/../../../outside/feedsync "$outside/feedsync" \
                    lib/feedsync/elsewhere/feedsync elsewhere/feedsync/page elsewhere/feedsync/ ../ ../outside/ bin/ls \
                    lib/feedsync/../../bin/ls >>"$prefix/lib/feedsync/files"
            }
            plant; ./install.sh --prefix "$prefix" >&2
            plant; ./install.sh --prefix "$prefix" --uninstall
            """#)
        #expect(result.errorText.contains("outside/feedsync stays: it is not a file of feedsync below"))
        for name in precious { #expect(Files.exists(program.directory.path("outside/\(name)")), "\(name)") }
        #expect(
            try await found(in: prefix) == [
                "bin d", "bin/ls f", "elsewhere l", "lib d", "lib/feedsync d", "lib/feedsync/elsewhere l",
            ])
    }
}
