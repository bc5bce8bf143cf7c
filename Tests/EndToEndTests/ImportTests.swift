import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Import, from outside", .timeLimit(.minutes(10)))
struct ImportTests {
    private let source: Program
    private let program: Program
    private let server: FeedServer
    private var file: String { source.directory.path("cache.tar") }

    init() throws {
        source = try Program()
        program = try Program()
        server = try FeedServer(images: 3)
    }

    private func export() async throws -> [UInt8] {
        try await source.run(server.feedURL)
        expectQuiet(try await source.run("export", file))
        return try Files.bytes(file)
    }

    @Test("import reads an archive of any compression from a file or standard input, without other programs")
    func compression() async throws {
        let plain = try await export()
        for name in ["cache.tar", "x.tar.gz", "x.tgz", "x.tar.zst"] {
            let path = source.directory.path(name)
            expectQuiet(try await source.run("export", path))
            let archive = try Files.bytes(path)
            let copy = try Program()
            expectQuiet(
                try await copy.run("import", "--restore", "-", environment: ["PATH": "/nowhere"], input: archive))
            #expect(try await copy.run("export", "-").standardOutput == plain)
        }
    }

    @Test("A sync after an import requests no image") func nothingToFetch() async throws {
        try await program.run("import", "--restore", "-", input: try await export())
        let asked = server.requestCount
        expectQuiet(try await program.run("sync"))
        #expect(server.paths(after: asked) == ["/feed.json"])
    }

    @Test("import keeps a feed that was saved later, and replaces it with --force") func merging() async throws {
        let archive = try await export()
        server.serve(images: [7])
        try await program.run(server.feedURL)
        let saved = try await program.saved(server.feedURL)
        expectQuiet(try await program.run("import", "--restore", "-", input: archive))
        #expect(try await program.saved(server.feedURL) == saved)
        let told = try await program.run("import", "--restore", "-v", "--force", "-", input: archive)
        #expect(told.errorText.contains("\(server.feedURL): replaced"), "\(told.errorText)")
        #expect(try await program.saved(server.feedURL) == source.saved(server.feedURL))
    }

    @Test("import says why it keeps a feed, and a date in the future counts as now")
    func kept() async throws {
        try await source.run(server.feedURL)
        try await source.run("export", file)
        try await program.run(server.feedURL)
        let kept = try await program.run("import", "--restore", "-v", file)
        let reason = "the archive's copy is not later (see --force)"
        #expect(kept.errorText.contains("\(server.feedURL): kept, because \(reason)\n"), "\(kept.errorText)")
        for program in [source, program] {
            try await program.sql("UPDATE feeds SET saved_at = saved_at + 86400 * 1000000")
        }
        try await source.sql("UPDATE feeds SET saved_at = saved_at + 1000000")
        try await source.run("export", file)
        let future = try await program.run("import", "--restore", "-v", file)
        #expect(future.errorText.contains("\(server.feedURL): kept, because \(reason)\n"), "\(future.errorText)")
    }

    @Test("import takes each of several archives as a whole, and its code is that of the first failure")
    func several() async throws {
        let archive = try await export()
        expectOneLine(try await program.run("import", "--restore", "-", file, input: archive), exit: 64, ["only FILE"])
        let other = try FeedServer(images: 2)
        let second = try Program()
        try await second.run(other.feedURL)
        try await second.run("export", second.directory.path("b.tar"))
        let damaged = try source.directory.write(String(repeating: "no archive", count: 100), to: "damaged.tar")
        let missing = source.directory.path("missing.tar")
        let result = try await program.run(
            "import", "--restore", damaged, file, missing, second.directory.path("b.tar"))
        #expect(result.status == .exited(65))
        let lines = result.errorText.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("damaged.tar") && lines[1].contains("missing.tar"))
        #expect(try await program.status()["feeds"]?.array?.count == 2)

        let told = try await Program().run("import", "--restore", "-v", file, second.directory.path("b.tar"))
        #expect(told.errorText.contains("cache.tar: imported 1 feed, 1 added; data of 3 images added"))
        #expect(told.errorText.contains("b.tar: imported 1 feed, 1 added; data of 2 images added"))
        let none = try Program()
        #expect(try await none.run("import", "--restore", missing, damaged).status == .exited(66))
        #expect(!Files.exists(none.directory.path("cache")))
    }

    @Test("import refuses a damaged archive as a whole and leaves the cache unchanged without new files")
    func refusal() async throws {
        let archive = try await export()
        let other = try FeedServer(images: 1)
        try await program.run(other.feedURL)
        let before = try await program.run("export", "-").standardOutput
        var flipped = archive
        // The archive is cut off within the last image.
        if let position = flipped.lastIndex(where: { $0 != 0 }) { flipped[position] ^= 1 }
        let refused = try await program.run("import", "--restore", "-", input: flipped)
        expectOneLine(refused, exit: 65, ["standard input: blobs/sha256/", "another digest", "nothing was imported"])
        let cut = try await program.run("import", "--restore", "-", input: Array(archive[..<(archive.count / 2)]))
        expectOneLine(cut, exit: 65, ["nothing was imported"])
        #expect(try await program.run("export", "-").standardOutput == before)
        #expect(Files.names(in: "\(program.cache)/incoming").isEmpty)
        #expect(Files.names(in: program.imageDirectory).count == 1)
    }

    @Test("import of a missing file or a directory is an error and creates no cache") func missing() async throws {
        expectOneLine(try await program.run("import", "--restore", file), exit: 66, [file])
        expectOneLine(try await program.run("import", "--restore", program.directory.path), exit: 66, ["directory"])
        #expect(!Files.exists(program.cache))
    }

    @Test(
        "import of a file that is no archive creates no cache",
        arguments: [("printf ''", "is empty"), ("echo junk", "no archive"), ("printf '\\037\\213'", "no archive")])
    func noArchive(command: String, reason: String) async throws {
        let result = try await program.shell(#"\#(command) | "$feedsync" import --cache "$1" -"#, program.cache)
        expectOneLine(result, exit: 65, [reason, "nothing was imported"])
        #expect(!Files.exists(program.cache))
    }

    @Test("import from a closed standard input or a directory creates no cache", arguments: ["<&-", "</"])
    func unreadable(redirection: String) async throws {
        let result = try await program.shell(#"exec "$feedsync" import --cache "$1" - \#(redirection)"#, program.cache)
        #expect(result.status != .exited(0))
        #expect(!Files.exists(program.cache))
    }

    @Test(
        "import refuses xz and bzip2 by name, and a zstd stream that needs much memory",
        arguments: [
            ["xz"], ["bzip2"], ["zstd", "--long=30"],
        ])
    func refusedCompression(command: [String]) async throws {
        let archive = try program.directory.write(try await export(), to: "archive")
        let refused = try await program.shell(
            #"f=$1; shift; "$@" -c <"$f" | { ulimit -v 600000; exec "$feedsync" import -; }"#, [archive] + command)
        let reason = command[0] == "zstd" ? "too much memory" : "compressed with \(command[0])"
        expectOneLine(refused, exit: 65, [reason, "nothing was imported"])
    }

    @Test("import ignores what follows the archive's end, even without end") func trailingData() async throws {
        let archive = try program.directory.write(try await export(), to: "archive")
        expectQuiet(
            try await program.shell(
                #"{ cat "$1"; yes; } 2>/dev/null | "$feedsync" import --restore --cache "$2" -"#, archive, program.cache
            ))
        #expect(try await program.run("export", "-").standardOutput == Files.bytes(archive))
    }

    @Test(
        "import refuses a link, a FIFO and a sparse file that tar packed, and names the entry",
        arguments: [
            ("ln -s index.json", "is a symbolic link"), ("ln index.json", "is a hard link"), ("mkfifo", "is a FIFO"),
            ("truncate -s 1M", "is a sparse file"),
        ])
    func kinds(command: String, reason: String) async throws {
        try program.directory.write(#"{"schemaVersion":2,"manifests":[]}"#, to: "index.json")
        for format in ["gnu", "pax"] {
            let refused = try await program.shell(
                #"rm -f "$1/oci-layout" && cd "$1" && $2 oci-layout && tar -SH "$3" -cf - index.json oci-layout | "$feedsync" import -"#,
                program.directory.path, command, format)
            expectOneLine(refused, exit: 65, ["oci-layout: \(reason)", "nothing was imported"])
        }
    }

    @Test("import obeys the limits on the command line") func limits() async throws {
        let archive = try await export()
        expectOneLine(
            try await program.run("import", "--restore", "--max-filesize", "10", "-", input: archive), exit: 65,
            ["--max-filesize"])
        expectOneLine(
            try await program.run("import", "--restore", "--max-feed-size", "100", "-", input: archive), exit: 65,
            ["--max-feed-size"])
    }

    @Test("import obeys a feed's limits in the config file", arguments: ["max-filesize", "max-feed-size"])
    func ownLimits(option: String) async throws {
        let archive = try await export()
        let section = "[feed \"\(server.feedURL)\"]\n\(option) ="
        let larger = try program.directory.write("\(option) = 10\n\(section) 1M\n", to: "larger")
        expectQuiet(try await program.run("import", "--restore", "--config", larger, "-", input: archive))
        #expect(try await program.run("export", "-").standardOutput == archive)
        let smaller = try program.directory.write("\(section) 10\n", to: "smaller")
        expectOneLine(
            try await program.run("import", "--restore", "--config", smaller, "-", input: archive), exit: 65,
            ["--\(option) (10"])
    }

    @Test("import waits for another run no longer than --lock-wait says") func locks() async throws {
        let archive = try await export()
        let lock = try HeldLock(of: program)
        expectOneLine(try await program.run("import", "--restore", "-", input: archive), exit: 75, ["--lock-wait"])
        withExtendedLifetime(lock) {}
    }

    @Test("An import that is stopped while it waits for its input leaves nothing") func stopped() async throws {
        let pipe = program.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let archive = try await export()
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        let process = try program.start("import", "--restore", pipe)
        let part = archive.prefix(4096)
        #expect(part.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) } == part.count)
        // The program has read that part and waits for more.
        var left: Int32 = 1
        while left > 0, process.result == nil {
            _ = ioctl(writer, UInt(FIONREAD), &left)
            await Task.yield()
        }
        process.kill(SIGINT)
        let result = await process.wait()
        #expect(result.status == .exited(128 + SIGINT), "\(result.errorText)")
        #expect(result.errorText == "")
        #expect(Files.names(in: "\(program.cache)/incoming").isEmpty)
        #expect(Files.names(in: program.imageDirectory).isEmpty)
    }
}
