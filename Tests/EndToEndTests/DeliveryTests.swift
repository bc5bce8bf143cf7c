import JSONText
import TestSupport
import Testing

@Suite("Show and image, where the cache is in the way", .timeLimit(.minutes(10)))
struct DeliveryTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    /// Paths where a cache is impossible: at a file and below one.
    private static let unusable = ["", "/below"]

    private func unusableCache(_ below: String) throws -> String {
        try program.directory.write(Array("no cache".utf8), to: "file")
        return program.directory.path("file") + below
    }

    @Test("show and image deliver the server's response and report why it can't be saved", arguments: unusable)
    func delivered(_ below: String) async throws {
        let cache = try unusableCache(below)

        let shown = try await program.run("show", "--json", "--cache", cache, server.feedURL)
        #expect(shown.status == .exited(73))
        #expect(shown.errorLines.count == 1 && shown.errorText.contains("not saved: \(cache): can't be "))
        #expect(try shown.json["source"]?.string == "remote")
        #expect(try shown.json["images"]?.array?.count == 2)

        let image = try await program.run("image", "--cache", cache, server.imageURL(1))
        #expect(image.status == .exited(73))
        #expect(image.errorLines.count == 1 && image.errorText.contains("not saved: \(cache): can't be "))
        #expect(image.standardOutput == FeedServer.image(1))
    }

    @Test("show and image deliver while another program keeps the database locked")
    func busy() async throws {
        try await program.run(server.feedURL)
        let result = try await program.shell(
            #"""
            export url=$1 place=$2
            sqlite3 "$FEEDSYNC_CACHE/feedsync.sqlite" > "$place/sqlite" <<'END'
            PRAGMA locking_mode = EXCLUSIVE;
            BEGIN EXCLUSIVE;
            .shell "$feedsync" show "$url" > "$place/show.out" 2> "$place/show.err"; echo $? > "$place/show.code"
            .shell "$feedsync" sync "$url" 2> "$place/sync.err"; echo $? > "$place/sync.code"
            END
            """#, server.feedURL, program.directory.path)
        #expect(result.status == .exited(0), "\(result.errorText)")
        func said(_ name: String) throws -> String {
            String(decoding: try program.directory.read(name), as: UTF8.self)
        }
        for command in ["show", "sync"] {
            #expect(try said("\(command).code") == "74\n")
            #expect(try said("\(command).err").contains("another program, such as sqlite3, keeps"))
        }
        #expect(try said("show.out").contains(server.imageURL(1)))
    }

    @Test("show and image report both the unreachable server and the unusable cache", arguments: unusable)
    func unreachable(_ below: String) async throws {
        let cache = try unusableCache(below)
        let port = try DeadPort()
        for command in ["show", "image"] {
            let result = try await program.run(command, "--cache", cache, port.url("/x"))
            expectOneLine(result, exit: 69, ["connect", "the cache can't be read: \(cache)"])
        }
    }

    @Test("show and image with --offline use only the cache", arguments: unusable)
    func offline(_ below: String) async throws {
        let cache = try unusableCache(below)
        for command in ["show", "image"] {
            let result = try await program.run(command, "--offline", "--cache", cache, server.feedURL)
            expectOneLine(result, exit: 73, [cache])
        }
        #expect(server.paths() == [])
    }

    @Test("Other runs can use the cache while show waits for a server, and show then leaves the saving to them")
    func waiting() async throws {
        let feed = Array(FeedServer.feed([server.imageURL(0)]).utf8)
        for (path, command, body) in [("/feed.json", "show", feed), ("/1.png", "image", FeedServer.image(1))] {
            let gate = Gate()
            server.server.route(path, Reply(body: body, gate: gate))
            let run = try program.start(command, server.server.url(path))
            await run.comes(to: gate)
            let lock = try HeldLock(of: program)
            gate.open()
            let result = await run.wait()
            #expect(result.status == .exited(0), "\(result.errorText)")
            #expect(result.errorText == "")
            #expect(!result.standardOutput.isEmpty)
            withExtendedLifetime(lock) {}
        }
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("A 304 says nothing about a copy that was saved meanwhile")
    func savedMeanwhile() async throws {
        let (first, second) = (FeedServer.feed([server.imageURL(0)]), FeedServer.feed([server.imageURL(1)]))
        server.server.route("/feed.json") { .validated(Array(first.utf8), etag: "\"1\"", for: $0) }
        expectQuiet(try await program.run(server.feedURL))
        let gate = Gate()
        server.server.route("/feed.json", Reply(304, gate: gate))
        let run = try program.start("show", server.feedURL)
        await run.comes(to: gate)
        server.server.route("/feed.json") { .validated(Array(second.utf8), etag: "\"2\"", for: $0) }
        expectQuiet(try await program.run(server.feedURL))
        let saved = try await program.saved(server.feedURL)

        gate.open()
        let result = await run.wait()

        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.outputText.contains(server.imageURL(0)))
        #expect(try await program.saved(server.feedURL) == saved)
        expectQuiet(try await program.run(server.feedURL))
        #expect(server.server.requests.last?.header("if-none-match") == "\"2\"")
    }

    @Test(
        "A feed that was deleted meanwhile is saved again, whether it has changed or not",
        arguments: [true, false])
    func deletedMeanwhile(hasChanged: Bool) async throws {
        let feed = Array(FeedServer.feed([server.imageURL(0)]).utf8)
        server.server.route("/feed.json") { .validated(feed, etag: "\"1\"", for: $0) }
        expectQuiet(try await program.run(server.feedURL))
        try await program.makeStale()
        let gate = Gate()
        let changed = Reply(body: Array(FeedServer.feed([server.imageURL(1)]).utf8), gate: gate)
        server.server.route("/feed.json", hasChanged ? changed : Reply(304, gate: gate))
        let run = try program.start("show", "--json", server.feedURL)
        await run.comes(to: gate)
        #expect(try await program.run("validate").status == .exited(0))

        gate.open()
        let result = await run.wait()

        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        let saved = try await program.status()["feeds"]?[0]?["saved_at"]?.string
        #expect(saved != nil)
        #expect(try result.json["saved_at"]?.string == saved)
        #expect(try await program.saved(server.feedURL).contains(server.imageURL(hasChanged ? 1 : 0)))
    }

    @Test("A saved feed that is unreadable for a moment is neither shown nor reported as missing")
    func failingRead() async throws {
        try await program.run("show", server.feedURL)
        let saved = try await program.saved(server.feedURL)
        server.serve(images: [0, 1, 2])
        // The lock keeps the shown feed from being saved.
        let lock = try HeldLock(of: program)
        var ends: [String] = []
        for number in 1...60 {
            let result = try await program.shell(
                #"""
                exec strace -f -qq -o "$1" -P "$FEEDSYNC_CACHE/feedsync.sqlite" -e trace=pread64 \
                    -e "inject=pread64:error=EIO:when=$2" "$feedsync" show --json "$3"
                """#, program.directory.path("trace"), "\(number)", server.feedURL)
            let trace = String(decoding: try Files.bytes(program.directory.path("trace")), as: UTF8.self)
            #expect(try await program.saved(server.feedURL) == saved)
            // Damage that SQLite notices while opening the database is reported as such by every command. Without the
            // list of removed images, the feed would show them again.
            if result.status == .exited(74), result.outputText == "" {
                ends.append("nothing shown: \(result.errorText)")
                continue
            }
            #expect([.exited(0), .exited(74)].contains(result.status), "\(number): \(result.errorText)")
            #expect(try result.json["source"]?.string == "remote", "\(number): \(result.errorText)")
            #expect(try result.json["images"]?.array?.count == 3)
            ends.append(result.status == .exited(74) ? "not saved" : "saved later: \(result.errorText)")
            if !trace.contains("INJECTED") { break }
        }
        #expect(ends.contains("not saved"), "\(ends)")
        withExtendedLifetime(lock) {}
    }
}
