import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Export, from outside", .timeLimit(.minutes(10)))
struct ExportTests {
    private let program: Program
    private let server: FeedServer
    private var file: String { program.directory.path("cache.tar") }

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    @Test("An export is silent and has the same bytes every time, however it is written")
    func deterministic() async throws {
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("export", file))
        let archive = try Files.bytes(file)
        for _ in 0..<3 {
            expectQuiet(try await program.run("export", program.directory.path("again.tar")))
            #expect(try Files.bytes(program.directory.path("again.tar")) == archive)
        }
        let piped = try await program.run("export", "-")
        #expect(piped.standardOutput == archive && piped.errorText == "")
        #expect(try await program.run("export", "-", server.feedURL).standardOutput == archive)
    }

    @Test("An export and an import elsewhere make the same cache, with the same feeds, images and export")
    func roundTrip() async throws {
        let other = try FeedServer(images: 2)
        try await program.run(server.feedURL, other.feedURL)
        try await program.sayMore()
        expectQuiet(try await program.run("export", file))
        let copy = try Program()
        expectQuiet(try await copy.run("import", "--restore", file))
        for feed in [server.feedURL, other.feedURL] {
            #expect(try await copy.saved(feed) == program.saved(feed))
        }
        #expect(Files.names(in: copy.imageDirectory) == Files.names(in: program.imageDirectory))
        for name in Files.names(in: copy.imageDirectory) {
            #expect(try Files.mode("\(copy.imageDirectory)/\(name)") == 0o444)
            #expect(try await Files.sha256("\(copy.imageDirectory)/\(name)") == name)
        }
        #expect(Files.names(in: "\(copy.cache)/incoming").isEmpty)
        #expect(try await copy.run("export", "-").standardOutput == Files.bytes(file))
    }

    @Test("An export has no password, and an import keeps an existing one") func credentials() async throws {
        let url = server.feedURL.replacingScheme(with: "http://me:secret@")
        try await program.run(url)
        let archive = try await program.run("export", "-").standardOutput
        #expect(!String(decoding: archive, as: UTF8.self).contains("secret"))
        expectQuiet(try await program.run("import", "--restore", "--force", "-", input: archive))
        #expect(try await program.sql("SELECT credentials FROM feeds") == "me:secret")
    }

    @Test("An export of an empty cache is an error and leaves no file") func nothing() async throws {
        try program.makeEmptyCache()
        expectOneLine(try await program.run("export", file), exit: 66, ["nothing to export"])
        try await program.run(server.feedURL)
        expectOneLine(
            try await program.run("export", file, "http://feeds.example/"), exit: 66,
            ["http://feeds.example/", "never saved"])
        #expect(Files.names(in: program.directory.path) == ["cache"])
    }

    @Test("An export of a damaged or missing image fails with a hint and leaves the old file")
    func damaged() async throws {
        try await program.run(server.feedURL)
        try program.directory.write("old", to: "cache.tar")
        let image = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))"
        try Files.damage(image)
        expectOneLine(try await program.run("export", file), exit: 65, ["damaged", "feedsync validate --deep"])
        unlink(image)
        expectOneLine(try await program.run("export", file), exit: 65, ["damaged", "feedsync validate --deep"])
        #expect(try Files.bytes(file) == Array("old".utf8))
        #expect(Files.names(in: program.directory.path) == ["cache", "cache.tar"])
        try await program.run("validate", "--deep")
        expectQuiet(try await program.run("export", file))
    }

    @Test("An export can't replace a directory, nor be written where its directory is missing")
    func cannotCreate() async throws {
        try await program.run(server.feedURL)
        try program.directory.makeDirectory("directory.tar")
        expectOneLine(try await program.run("export", program.directory.path("directory.tar")), exit: 73, ["directory"])
        expectOneLine(try await program.run("export", program.directory.path("no/x.tar")), exit: 73, ["No such file"])
        let full = try await program.shell("\"$feedsync\" export - >/dev/full")
        expectOneLine(full, exit: 74, ["standard output"])
        expectOneLine(try await program.run("export", "/dev/full"), exit: 74, ["/dev/full"])
    }

    @Test(
        "An export can't overwrite the cache's own files, whatever path leads to them",
        arguments: [
            "feedsync.sqlite", "lock", "images/sha256/new.tar", "incoming/x", "../link/lock", "../link.tar",
            "../none", "../hop", "../below/new",
        ])
    func ownFiles(name: String) async throws {
        try await program.run(server.feedURL)
        symlink(program.cache, program.directory.path("link"))
        symlink("\(program.cache)/feedsync.sqlite", program.directory.path("link.tar"))
        // The path leads to nothing yet, directly, by a second link, or by a link to a directory.
        symlink("cache/feedsync.sqlite-journal", program.directory.path("none"))
        symlink("./link/../none", program.directory.path("hop"))
        symlink("cache/images", program.directory.path("below"))
        let file = "\(program.cache)/\(name)"
        let ours = "\(name): belongs to the cache; "
        expectOneLine(try await program.run("export", file), exit: 73, [ours, "the archive"])
        let image = try await program.run("image", "-o", file, server.imageURL(0))
        expectOneLine(image, exit: 73, [ours, "the image"])
        let sync = try await program.run("--metrics-file", file, server.feedURL)
        expectOneLine(sync, exit: 73, [ours, "the metrics file"])
        expectQuiet(try await program.run("validate", "--deep"))
        expectQuiet(try await program.run("export", "\(program.cache)/backup.tar"))
    }

    @Test("An export keeps the mode of the file that it replaces, and the link that leads to it")
    func modes() async throws {
        try await program.run(server.feedURL)
        let target = try program.directory.write("old", to: "target.tar")
        chmod(target, 0o600)
        #expect(symlink("target.tar", file) == 0)
        expectQuiet(try await program.run("export", file))
        #expect(try Files.mode(target) == 0o600)
        #expect(try Files.bytes(target).count > 1000)
        #expect(Files.names(in: program.directory.path) == ["cache", "cache.tar", "target.tar"])
    }

    /// A file system without O_TMPFILE returns an error from `openat`.
    @Test(
        "An export leaves alone the file of another process with the same number", arguments: ["", "openat"],
        [false, true])
    func sameNumber(failing call: String, isThere: Bool) async throws {
        try await program.run(server.feedURL)
        try program.directory.makeDirectory("out")
        let archive = program.directory.path("out/cache.tar")
        if isThere { try program.directory.write("old", to: "out/cache.tar") }
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o "$2" -P "$1" -e trace=openat ${3:+-e "inject=$3:error=EOPNOTSUPP"} \
                sh -c 'printf mine >"$1/.feedsync-$$" && exec "$feedsync" export "$1/cache.tar"' sh "$1"
            """#, program.directory.path("out"), program.directory.path("trace"), call)
        expectQuiet(result)
        let names = Files.names(in: program.directory.path("out"))
        #expect(names.count == 2 && names.last == "cache.tar", "\(names)")
        #expect(try Files.bytes(program.directory.path("out/\(names[0])")) == Array("mine".utf8))
        #expect(try Files.bytes(archive).count > 1000)
    }

    @Test("An export runs beside a sync that holds the lock, and waits for a run that deletes images")
    func locks() async throws {
        try await program.run(server.feedURL)
        let lock = try HeldLock(of: program)
        expectQuiet(try await program.run("export", file))
        withExtendedLifetime(lock) {}
        let deleting = open("\(program.cache)/images", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(deleting) }
        #expect(flock(deleting, LOCK_EX | LOCK_NB) == 0)
        expectOneLine(try await program.run("export", file), exit: 75, ["--lock-wait"])
        let waiting = try program.start("export", "--lock-wait", "600", file)
        #expect(flock(deleting, LOCK_UN) == 0)
        expectQuiet(await waiting.wait())
    }

    @Test("An export reports its work on request") func verbose() async throws {
        try await program.run(server.feedURL)
        let result = try await program.run("export", "-v", file)
        #expect(result.errorText.hasPrefix("feedsync: exported 1 feed and 3 images, "), "\(result.errorText)")
    }

    @Test(
        "An export to a file with the suffix of another archive format is wrong usage",
        arguments: ["x.zip", "x.tar.xz", "x.TXZ", "x.tar.bz2", "x.7z", "x.gz", "x.tzst"])
    func otherSuffix(name: String) async throws {
        try await program.run(server.feedURL)
        expectOneLine(
            try await program.run("export", program.directory.path(name)), exit: 64,
            [name, ".tar.gz, .tgz or .tar.zst"])
        #expect(Files.names(in: program.directory.path) == ["cache"])
    }

    @Test("An export to a file with any other suffix is not compressed") func plainSuffix() async throws {
        try await program.run(server.feedURL)
        let plain = try await program.run("export", "-").standardOutput
        for name in ["x", "x.tar", "x.oci", "gz"] {
            expectQuiet(try await program.run("export", program.directory.path(name)))
            #expect(try Files.bytes(program.directory.path(name)) == plain, "\(name)")
        }
    }

    @Test("An export whose reader goes away is an error") func closedPipe() async throws {
        try await program.run(server.feedURL)
        let result = try await program.shell("{ \"$feedsync\" export -; echo $? >&2; } | exec true")
        #expect(
            result.errorText.contains("standard output") && result.errorText.hasSuffix("74\n"), "\(result.errorText)")
    }

    @Test("An export stops cleanly while its reader stalls") func stalledReader() async throws {
        server.serve(Reply.image(FeedServer.image(0) + [UInt8](repeating: 1, count: 1 << 20)), at: 0)
        try await program.run(server.feedURL)
        let pipe = program.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let process = try program.start("export", pipe)
        // Some bytes have arrived, and the reader stops.
        var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 100) == 0, process.result == nil { await Task.yield() }
        process.kill(SIGTERM)
        let result = await process.wait()
        #expect(result.status == .exited(128 + SIGTERM), "\(result.errorText)")
        #expect(result.errorText == "")
    }
}

extension String {
    fileprivate func replacingScheme(with start: String) -> String { start + dropFirst("http://".count) }
}
