import Glibc
import JSONText
import TestSupport
import Testing

/// The rights and limits of the program that decodes hostile images.
extension ThumbnailTests {
    /// Saves one image that gets a thumbnail.
    private func syncOne() async throws {
        try await sync(["a.jpg"], in: try await make(Self.noise + "vips copy noise.v a.jpg"))
    }

    /// A command for the stand-in that tries to open sockets and records the results.
    private static func trying(_ log: String) -> String {
        """
        python3 - >> '\(log)' 2>&1 <<'EOF'
        import ctypes, os, socket
        def attempt(name, work):
            try:
                work()
                print(name, 'works')
            except OSError as error:
                print(name, error.errno)
        attempt('inet', lambda: socket.socket(socket.AF_INET))
        attempt('unix', lambda: socket.socket(socket.AF_UNIX))
        attempt('netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
        attempt('pair', socket.socketpair)
        libc = ctypes.CDLL(None, use_errno=True)
        def io_uring():
            if libc.syscall(425, 1, ctypes.create_string_buffer(128)) < 0:
                raise OSError(ctypes.get_errno(), '')
        attempt('io_uring', io_uring)
        attempt('terminal', lambda: os.open('/dev/tty', os.O_RDWR))
        EOF
        """
    }

    private static let noSockets = "run\ninet 1\nunix 1\nnetlink 1\npair 1\nio_uring 1\nterminal 6\n"

    @Test(
        "The program that makes thumbnails can open no socket, even where namespaces are refused",
        .enabled(if: geteuid() == 0),
        arguments: [
            "", "setpriv --no-new-privs", "setpriv --reuid=65534 --regid=65534 --clear-groups",
            "setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all",
            "strace -f -qq -o /dev/null -e inject=unshare:error=EPERM",
        ])
    func sockets(wrapper: String) async throws {
        try await syncOne()
        let log = try program.directory.write("", to: "log")
        let bin = try fake(Self.trying(log), log: log)
        let result = try await program.shell(
            #"""
            chmod 666 "$3"; chmod 755 "$2"; [ "${4#*reuid}" = "$4" ] || chown -R 65534:65534 "$2"
            PATH="$1:$PATH" exec $4 "$feedsync" gallery --json --thumbnails always "$5"
            """#, bin, program.directory.path, log, wrapper, site)
        #expect(result.status == .exited(0) && result.errorText == "", "\(result.errorText)")
        #expect(try result.json["thumbnails"] == 1)
        #expect(String(decoding: try Files.bytes(log), as: UTF8.self) == Self.noSockets + Self.noSockets)
    }

    @Test("The program has limits, no more rights to gain, and no open file of ours")
    func limits() async throws {
        try await syncOne()
        let log = program.directory.path("log")
        let bin = try fake(
            """
            { echo "$VIPS_BLOCK_UNTRUSTED $(ulimit -v) $(ulimit -t) $(ulimit -c) $(ls /proc/self/fd | wc -l)"
              grep -E 'NoNewPrivs|Seccomp:' /proc/self/status; echo "${http_proxy-none}"; } >> '\(log)' 2>&1
            """, log: log)
        #expect(try await gallery(environment: ["PATH": bin, "http_proxy": "http://127.0.0.1:9"]) == 1)
        let said = String(decoding: try Files.bytes(log), as: UTF8.self)
        let run = "run\n1 1048576 10 0 4\nNoNewPrivs:\t1\nSeccomp:\t2\nnone\n"
        #expect(said == run + run)
    }

    @Test("Without a seccomp filter no thumbnails are made, which is said once, and is an error if they are asked for")
    func noFilter() async throws {
        try await syncOne()
        let log = program.directory.path("log")
        let bin = try fake("", log: log)
        func run(_ choice: String) async throws -> ProcessResult {
            try await program.shell(
                #"""
                PATH="$1:$PATH" exec strace -f -qq -o /dev/null -e inject=prctl:error=EINVAL \
                    "$feedsync" gallery --thumbnails "$2" "$3"
                """#, bin, choice, site)
        }
        expectOneLine(try await run("auto"), exit: 0, ["no thumbnails can be made", "seccomp"])
        #expect(Files.exists("\(site)/index.html") && thumbnails == [])
        expectOneLine(try await run("always"), exit: 69, ["seccomp"])
        #expect(!Files.exists(log))
        #expect(try await gallery() == 1)
    }

    @Test("A photograph of twelve megapixels and a large PNG get their thumbnails within the limits")
    func large() async throws {
        let directory = try await make(
            """
            vips gaussnoise n.v 4000 3000 --sigma 30; vips cast n.v c.v uchar; vips bandjoin "c.v c.v c.v" rgb.v
            vips copy rgb.v a.jpg; vips copy rgb.v 'b.png[compression=1]'
            """)
        try await sync(["a.jpg", "b.png"], in: directory)
        #expect(try await gallery() == 2)
    }

    @Test("An image beyond the limit of time or memory goes without a thumbnail, and the others get theirs")
    func greedy() async throws {
        let directory = try await make(
            Self.noise
                + "vips copy noise.v 0.jpg; { cat 0.jpg; echo LOOP; } > 1.jpg; { cat 0.jpg; echo EAT; } > 2.jpg")
        try await sync(["0.jpg", "1.jpg", "2.jpg"], in: directory)
        // The stand-in has a child and ignores the signals that a limit could send.
        let bin = try fake(
            #"""
            has() { for name; do [ -f "$name" ] && grep -q "$word" "$name" && return; done; return 1; }
            word=LOOP; if has "$@"; then trap '' ALRM XCPU; sleep 1000000; fi
            word=EAT; if has "$@"; then python3 -c 'bytearray(2 << 30)' || kill -9 $$; fi
            """#, log: program.directory.path("log"))
        #expect(try await gallery(environment: ["PATH": bin]) == 1)
        #expect(Files.names(in: "\(program.cache)/thumbnails").filter { $0.hasSuffix(".none") }.count == 2)
    }

    @Test(
        "The end of --max-time, and the first signal, end the program and all that it started",
        arguments: ["gallery", "sync", "signal"])
    func stopped(by way: String) async throws {
        try await syncOne()
        let log = program.directory.path("log")
        let pid = program.directory.path("pid")
        let signal = way == "signal" ? "kill -TERM \"$(cat '\(pid)')\";" : ""
        let bin = try fake("trap '' TERM INT ALRM; sleep 1000000 & echo $! >> '\(log)'; \(signal) wait", log: log)
        let arguments = [
            "gallery": ["gallery", "--max-time", "2", site], "signal": ["gallery", site],
            "sync": ["sync", "--gallery", site, "--max-time", "4", server.feedURL],
        ]
        let run = try program.startShell(
            #"PATH="$1:$PATH"; echo $$ > "$2"; shift 2; exec "$feedsync" "$@""#, [bin, pid] + (arguments[way] ?? []))
        let result = await run.wait()
        #expect(result.status == .exited(way == "signal" ? 128 + SIGTERM : 74), "\(result.errorText)")
        #expect(result.errorText.contains("not finished within --max-time") == (way != "signal"), "\(result.errorText)")
        #expect(!Files.exists("\(site)/index.html"))
        let said = String(decoding: try Files.bytes(log), as: UTF8.self).split(separator: "\n")
        // The child of a killed child is gone once init has reaped it. The suite has a time limit.
        let child = try #require(said.last.flatMap { Int32($0) })
        while kill(child, 0) == 0 { try await Task.sleep(for: .milliseconds(2)) }
        // The image is tried again later.
        #expect(try await gallery() == 1)
    }
}
