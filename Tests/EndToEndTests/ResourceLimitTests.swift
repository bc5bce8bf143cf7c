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

    @Test("an image whose file may not become so large fails alone, however large it is, and no signal ends the run")
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

    @Test("an output that may not become so large is an error of writing, and leaves nothing behind")
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

    @Test("few open files make smaller batches, and no failure")
    func openFiles() async throws {
        let server = try FeedServer(images: 300)
        let limited = #"ulimit -n 128; exec "$feedsync" "$@""#
        expectQuiet(try await program.shell(limited, "-j", "8", "--max-per-host", "8", server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 300)
        let checked = try await program.shell(#"ulimit -n 80; exec "$feedsync" "$@""#, "validate", "--deep", "--json")
        #expect(checked.status == .exited(0), "\(checked.errorText)")
        #expect(try checked.json["damaged"]?.int == 0)
    }

    @Test("few open files make fewer requests at once, to however many servers")
    func openConnections() async throws {
        let servers = try (0..<40).map { _ in try FeedServer(images: 10) }
        let limited = #"ulimit -n 256; exec "$feedsync" "$@""#
        let sync = try await program.shell(limited, ["--json"] + servers.map(\.feedURL))
        #expect(sync.status == .exited(0), "\(sync.errorText)")
        #expect(try sync.json["images"]?["total"]?.int == 400)
        #expect(try sync.json["images"]?["failed"]?.int == 0)
    }

    @Test("with hardly any open files it says so at once, and doesn't break off at some moment")
    func hardlyAnyFiles() async throws {
        for limit in 16...20 {
            let result = try await program.shell(#"ulimit -n "$1"; exec "$feedsync" status"#, "\(limit)")
            expectOneLine(result, exit: 74, ["open files"])
        }
    }

    @Test("a run that could not be woken says so at once, and doesn't hang")
    func noSocketPair() async throws {
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -e trace=socketpair -e inject=socketpair:error=EMFILE \
                "$feedsync" --max-time 20 "$1"
            """#, server.feedURL)
        expectOneLine(result, exit: 69, ["libcurl", "files"])
    }

    @Test("where hardly a thread may be started it says so, and doesn't wait for better times")
    func hardlyAnyThreads() async throws {
        // Root may start any number: it runs as somebody who has nothing else running, and by an open file, as that
        // somebody may not be let in where the program lies.
        let result = try await program.shell(
            #"""
            exec 3<"$feedsync"
            if [ "$(id -u)" = 0 ]; then set -- setpriv --reuid $((60000 + $$ % 5000)) --clear-groups; fi
            exec "$@" prlimit --nproc=4 /proc/self/fd/3 status
            """#)
        expectOneLine(result, exit: 1, ["threads", "ulimit -u"])
    }

    @Test("where there is too little address space it says so")
    func littleAddressSpace() async throws {
        let result = try await program.shell(#"ulimit -v 300000; exec "$feedsync" status"#)
        expectOneLine(result, exit: 1, ["address space", "ulimit -v"])
        expectQuiet(try await program.shell(#"ulimit -v 600000; exec "$feedsync" "$1""#, server.feedURL))
    }
}
