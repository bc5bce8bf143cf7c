import JSONText
import TestSupport
import Testing

@Suite("Limits that the system sets", .timeLimit(.minutes(10)))
struct ResourceLimitTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 4)
        for (place, size) in [(1, 300_000), (2, 110_000)] {
            server.serve(.image(Samples.png + Array(repeating: 7, count: size)), at: place)
        }
    }

    @Test("An image beyond the system's file size limit fails alone, and no signal ends the run")
    func fileSize() async throws {
        let limited = #"ulimit -f 200; exec "$feedsync" "$@""#
        let sync = try await program.shell(limited, "-j", "1", server.feedURL)
        #expect(sync.status == .exited(23), "\(sync.errorText)")
        #expect(sync.errorText.contains("File too large"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)

        let image = try await program.shell(limited, "image", server.imageURL(1))
        #expect(image.status == .exited(74), "\(image.errorText)")
        #expect(image.standardOutput.count > 300_000)

        expectQuiet(try await program.run(server.feedURL))
        expectQuiet(try await program.run("validate", "--deep"))
    }

    @Test("An output beyond the system's file size limit is a write error and leaves nothing behind")
    func outputSize() async throws {
        try await program.run("image", server.imageURL(1))
        try program.directory.makeDirectory("out")
        let script = #"ulimit -f 200; cd "$1"; "$feedsync" image "$2" -o image.png"#
        let file = try await program.shell(script, program.directory.path("out"), server.imageURL(1))
        expectOneLine(file, exit: 74, ["image.png", "File too large"])
        #expect(Files.names(in: program.directory.path("out")) == [])
        let redirected = #"ulimit -f 200; "$feedsync" image "$2" > "$1/image.png""#
        let output = try await program.shell(redirected, program.directory.path("out"), server.imageURL(1))
        expectOneLine(output, exit: 74, ["standard output", "File too large"])
    }

    @Test("A low limit of open files makes smaller batches and no failures")
    func openFiles() async throws {
        let server = try FeedServer(images: 300)
        let limited = #"ulimit -n 128; exec "$feedsync" "$@""#
        expectQuiet(try await program.shell(limited, "-j", "8", "--max-per-host", "8", server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 300)
        let checked = try await program.shell(#"ulimit -n 80; exec "$feedsync" "$@""#, "validate", "--deep", "--json")
        #expect(checked.status == .exited(0), "\(checked.errorText)")
        #expect(try checked.json["damaged"]?.int == 0)
    }

    @Test("A low limit of open files makes fewer requests at once, to any number of servers")
    func openConnections() async throws {
        let servers = try (0..<40).map { _ in try FeedServer(images: 10) }
        let limited = #"ulimit -n 256; exec "$feedsync" "$@""#
        let sync = try await program.shell(limited, ["--json"] + servers.map(\.feedURL))
        #expect(sync.status == .exited(0), "\(sync.errorText)")
        #expect(try sync.json["images"]?["total"]?.int == 400)
        #expect(try sync.json["images"]?["failed"]?.int == 0)
    }

    @Test("A tiny limit of open files is reported at once instead of failing at some point")
    func hardlyAnyFiles() async throws {
        for limit in 16...20 {
            let result = try await program.shell(#"ulimit -n "$1"; exec "$feedsync" status"#, "\(limit)")
            expectOneLine(result, exit: 74, ["open files"])
        }
    }

    @Test("A run without a socket pair for wake-ups says so at once instead of hanging")
    func noSocketPair() async throws {
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -e trace=socketpair -e inject=socketpair:error=EMFILE \
                "$feedsync" --max-time 20 "$1"
            """#, server.feedURL)
        expectOneLine(result, exit: 69, ["libcurl", "files"])
    }

    @Test("A run that can start hardly any threads says so at once")
    func hardlyAnyThreads() async throws {
        // Root may start any number of threads, so the program runs as a user without other processes. It is started
        // from an open file, because that user may be unable to reach its path.
        let result = try await program.shell(
            #"""
            exec 3<"$feedsync"
            if [ "$(id -u)" = 0 ]; then set -- setpriv --reuid $((60000 + $$ % 5000)) --clear-groups; fi
            exec "$@" prlimit --nproc=4 /proc/self/fd/3 status
            """#)
        expectOneLine(result, exit: 1, ["threads", "ulimit -u"])
    }

    @Test("A run with too little address space says so")
    func littleAddressSpace() async throws {
        let result = try await program.shell(#"ulimit -v 300000; exec "$feedsync" status"#)
        expectOneLine(result, exit: 1, ["address space", "ulimit -v"])
        expectQuiet(try await program.shell(#"ulimit -v 600000; exec "$feedsync" "$1""#, server.feedURL))
    }
}
