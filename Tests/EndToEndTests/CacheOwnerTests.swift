import Glibc
import TestSupport
import Testing

/// Caches of other users.
///
/// Root can give files to users that need not exist, and run the program as them.
@Suite("The owner of a cache", .enabled(if: geteuid() == 0), .timeLimit(.minutes(10)))
struct CacheOwnerTests {
    private static let user = "4711"
    private static let stranger = "4712"

    private let program: Program
    private let server: FeedServer

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        #expect(chmod(program.directory.path, 0o755) == 0)
    }

    /// Runs a script with the cache as its working directory.
    @discardableResult
    private func inCache(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        let result = try await program.shell(#"cd "$FEEDSYNC_CACHE" && \#(script)"#, arguments)
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result
    }

    /// Makes a cache of the user with the feed and its images.
    ///
    /// Everybody may write to it.
    private func makeCache() async throws {
        expectQuiet(try await program.run(server.feedURL))
        try await inCache("chown -R \(Self.user):\(Self.user) . && chmod 777 .")
    }

    private func run(as user: String = user, _ arguments: String...) async throws -> ProcessResult {
        try await program.shell(
            #"""
            user=$1; shift
            exec setpriv --reuid="$user" --regid="$user" --clear-groups "$feedsync" --no-config "$@"
            """#, [user] + arguments)
    }

    /// Returns everything about the files of the cache that a run could change.
    private func snapshot() async throws -> String {
        try await inCache(#"find . -printf '%p %U %G %m %s %T@ %i %l\n' | sort"#).outputText
    }

    @Test(
        "A cache directory of another user is refused before anything is written",
        arguments: [["sync", "FEED"], ["validate"], ["status"], ["export", "-"], ["remove", "FEED"]], [true, false])
    func directory(command: [String], isEmpty: Bool) async throws {
        if isEmpty {
            try program.directory.makeDirectory("cache")
            try await inCache("chown \(Self.stranger) . && chmod 777 .")
        } else {
            try await makeCache()
            try await inCache("chown \(Self.stranger) . && chmod 700 .")
        }
        let before = try await snapshot()
        let words = command.map { $0 == "FEED" ? server.feedURL : $0 }
        let result = try await program.shell(
            "exec setpriv --reuid=\(Self.user) --regid=\(Self.user) --clear-groups \"$feedsync\" \"$@\"", words)
        expectOneLine(result, exit: 73, ["\(program.cache): belongs to another user (\(Self.stranger))"])
        #expect(try await snapshot() == before)
    }

    @Test(
        "A cache entry of another user is refused before anything is written",
        arguments: [
            "lock", "feedsync.sqlite", "feedsync.sqlite-wal", "feedsync.sqlite-shm", "images", "incoming", "thumbnails",
            "outputs", "damaged",
        ])
    func entry(name: String) async throws {
        try await makeCache()
        try await inCache(#"[ -e "$1" ] || touch "$1"; chown -h \#(Self.stranger) "$1""#, name)
        let before = try await snapshot()
        for command in [["sync", server.feedURL], ["validate"], ["status"]] {
            let result =
                command.count == 1 ? try await run(command[0]) : try await run(command[0], command[1])
            expectOneLine(result, exit: 73, ["\(program.cache)/\(name): belongs to another user (\(Self.stranger))"])
        }
        #expect(try await snapshot() == before)
    }

    @Test(
        "A symbolic link of another user in a cache is refused wherever it leads",
        arguments: ["lock", "feedsync.sqlite-wal", "incoming"])
    func link(name: String) async throws {
        try await makeCache()
        try await inCache(#"rm -rf "$1"; ln -s /tmp "$1"; chown -h \#(Self.stranger) "$1""#, name)
        let result = try await run("sync", server.feedURL)
        expectOneLine(result, exit: 73, ["\(name): belongs to another user"])
    }

    @Test("A lock file of another user is refused, so that their lock blocks no run")
    func heldLock() async throws {
        try await makeCache()
        for script in ["touch lock", "mkfifo lock"] {
            try await inCache("rm -f lock && \(script) && chown \(Self.stranger) lock && chmod 666 lock")
            let held = open("\(program.cache)/lock", O_RDWR | O_CLOEXEC)
            #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
            let result = try await run("--lock-wait", "600", server.feedURL)
            expectOneLine(result, exit: 73, ["lock: belongs to another user"])
            flock(held, LOCK_UN)
            close(held)
        }
    }

    @Test("An image file of another user is not read")
    func image() async throws {
        try await makeCache()
        let digest = try await program.digest(of: server.imageURL(0))
        try await inCache(#"chown \#(Self.stranger) "images/sha256/$1""#, digest)
        let reason = "\(digest): belongs to another user"
        expectOneLine(try await run("image", "--offline", server.imageURL(0)), exit: 73, [reason])
        expectOneLine(try await run("export", "-"), exit: 73, [reason])
        #expect(try await run("image", "--offline", server.imageURL(1)).status == .exited(0))
    }

    @Test("A cache directory of root, such as a Kubernetes volume, is used like one's own")
    func volume() async throws {
        try program.directory.makeDirectory("cache")
        try await inCache("chmod 777 .")
        for _ in 0..<2 { expectQuiet(try await run("sync", server.feedURL)) }
        #expect(try await inCache("find . -mindepth 1 ! -user \(Self.user)").outputText == "")
        // The files that root makes in the cache belong to the owner of the database.
        server.serve(images: [2, 3])
        expectQuiet(try await program.run("sync", server.feedURL))
        #expect(try await inCache("find . -mindepth 1 ! -user \(Self.user)").outputText == "")
        expectOneLine(try await run("validate", "--deep"), exit: 0, ["deleted 0 feeds and 2 images,"])
    }

    @Test("What root makes in a user's cache belongs to that user, even in a new or open cache")
    func root() async throws {
        let noise = try await program.shell(
            "cd \"$HOME\" && vips gaussnoise n.v 800 600 --sigma 40 && vips cast n.v m.v uchar && vips copy m.v i.jpg")
        #expect(noise.status == .exited(0), "\(noise.errorText)")
        server.serve(.image(try program.directory.read("i.jpg")), at: 0)
        try program.directory.makeDirectory("cache")
        try await inCache("chown \(Self.user):\(Self.stranger) .")
        let gate = Gate()
        server.server.route("/1.png") { _ in
            gate.pass()
            return .image(FeedServer.image(1))
        }
        let sync = try program.start("sync", "--gallery", program.directory.path("site"), server.feedURL)
        await sync.comes(to: gate)
        let foreign = "find . ! -user \(Self.user) -o ! -group \(Self.stranger)"
        // A download in progress changes its owner when it is complete.
        #expect(try await inCache(#"\#(foreign) | grep -v "^\./incoming/" || true"#).outputText == "")
        gate.open()
        expectQuiet(await sync.wait())
        #expect(try await inCache(foreign).outputText == "")
        let names = try await inCache("find . -type f | sed 's/[0-9a-f]\\{64\\}/X/' | sort -u").outputLines
        #expect(
            names == [
                "./feedsync.sqlite", "./images/sha256/X", "./lock", "./outputs/X.list", "./outputs/X.lock",
                "./thumbnails/X.960.webp", "./thumbnails/X.webp",
            ])
    }

    private static let obstacles = ["mkfifo", "ln -s /dev/zero", "ln -s nowhere", "truncate -s 1T"]

    @Test(
        "A FIFO, link or empty file among a cache's parts never makes a run wait",
        arguments: [
            "lock", "feedsync.sqlite", "feedsync.sqlite-wal", "feedsync.sqlite-shm", "feedsync.sqlite-journal",
            "images",
            "images/sha256", "incoming",
        ], obstacles)
    func obstacle(name: String, command: String) async throws {
        try await makeCache()
        try await inCache(#"rm -rf "$1"; \#(command) "$1" && chown -h \#(Self.user) "$1""#, name)
        for command in [["status"], ["export", "/dev/null"], ["sync", server.feedURL]] {
            let result =
                command.count == 1 ? try await run(command[0]) : try await run(command[0], command[1])
            // A sparse file is a plain file, and can be an empty lock or journal.
            let codes: [Int32] = command[0] == "sync" && !obstacleIsFile(name) ? [73, 74] : [0, 65, 66, 73, 74]
            #expect(codes.contains(result.exitCode ?? -1), "\(command): \(result.errorText)")
            #expect(result.errorLines.count <= 1, "\(command): \(result.errorText)")
        }

        func obstacleIsFile(_ name: String) -> Bool {
            command.hasPrefix("truncate") && !["images", "images/sha256", "incoming"].contains(name)
        }
    }

    @Test(
        "A FIFO, link or empty file in place of an image is no image, and the next sync replaces it",
        arguments: obstacles)
    func imageObstacle(command: String) async throws {
        try await makeCache()
        let digest = try await program.digest(of: server.imageURL(0))
        try await inCache(#"cd images/sha256; rm -f "$1"; \#(command) "$1" && chown -h \#(Self.user) "$1""#, digest)
        expectOneLine(try await run("image", "--offline", server.imageURL(0)), exit: 66, ["not in the cache"])
        expectOneLine(try await run("export", "/dev/null"), exit: 65, ["damaged"])
        expectQuiet(try await run("sync", server.feedURL))
        #expect(try await Files.sha256("\(program.imageDirectory)/\(digest)") == digest)
    }
}
