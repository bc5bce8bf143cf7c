import JSONText
import TestSupport
import Testing

/// Tests on a small disk in a mount namespace that ends with its script.
@Suite("A full disk", .timeLimit(.minutes(10)))
struct DiskFullTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
        try program.directory.makeDirectory("cache")
        try program.directory.makeDirectory("results")
    }

    /// Runs `script` with the disk at `$FEEDSYNC_CACHE`.
    ///
    /// It can use `remount OPTION`, `intact`, which prints what is damaged, and `run NAME ARGUMENTS…`, which stores the
    /// program's output in `NAME.out` and `NAME.err` and its exit code in `NAME.code`.
    private func onDisk(of size: String, _ script: String) async throws {
        let setUp = """
            set -u
            cd "$2"
            remount() { mount -t tmpfs -o "remount,$1" none "$FEEDSYNC_CACHE" || exit 99; }
            run() { name=$1; shift; "$feedsync" "$@" > "$name.out" 2> "$name.err"; echo $? > "$name.code"; }
            intact() {
                [ "$(sqlite3 feedsync.sqlite 'PRAGMA integrity_check')" = ok ] || echo database
                for file in "$FEEDSYNC_CACHE"/images/sha256/*; do
                    [ "$(sha256sum < "$file" | cut -c 1-64)" = "${file##*/}" ] || echo "$file"
                done
            }
            mount -t tmpfs -o "size=\(size)" none "$FEEDSYNC_CACHE" || exit 99

            """
        let result = try await program.shellWithOwnMounts(
            setUp + script, server.feedURL, program.directory.path("results"))
        #expect(result.status == .exited(0), "\(result.outputText)\(result.errorText)")
        #expect(result.errorText == "")
    }

    private func said(_ name: String) throws -> String {
        String(decoding: try Files.bytes(program.directory.path("results/\(name)")), as: UTF8.self)
    }

    @Test("Any command first deletes the leftovers that fill a disk", arguments: ["sync", "validate"])
    func leftovers(command: String) async throws {
        server.serve(feedOf: [server.imageURL(0)])
        server.serve(.image(FeedServer.image(0)), at: 0)
        try await onDisk(
            of: "1m",
            """
            run first sync "$1"
            dd if=/dev/zero of="$FEEDSYNC_CACHE/incoming/7" bs=1k count=500 2> dd
            dd if=/dev/zero of="$FEEDSYNC_CACHE/others" bs=1k 2> dd
            run again \(command) $([ \(command) = sync ] && echo "$1")
            ls "$FEEDSYNC_CACHE/incoming" > left
            """)
        #expect(try said("first.code") == "0\n")
        let words = try said("again.err")
        #expect(try said("again.code") == "0\n", "\(words)")
        #expect(try said("left") == "")
    }

    @Test(
        "A full disk ends validate with 74 and an intact cache, and the message asks for space first",
        arguments: ["UPDATE feeds SET saved_at = saved_at - 8 * 24 * 3600 * 1000000", "DELETE FROM items"])
    func deleting(_ change: String) async throws {
        let bytes = [UInt8](repeating: 3, count: 20_000)
        for number in 0..<30 { server.serve(.image(FeedServer.image(number) + bytes), at: number) }
        server.serve(feedOf: (0..<30).map(server.imageURL))
        try await onDisk(
            of: "1m",
            """
            rows() { sqlite3 "$FEEDSYNC_CACHE/feedsync.sqlite" 'SELECT count(*) FROM data'; }
            run first sync "$1"
            sqlite3 "$FEEDSYNC_CACHE/feedsync.sqlite" '\(change)'
            dd if=/dev/zero of="$FEEDSYNC_CACHE/others" bs=1k 2> dd
            run again validate --json
            rm "$FEEDSYNC_CACHE/others"
            rows > rows
            ls "$FEEDSYNC_CACHE/images/sha256" | wc -l >> rows
            run third validate --json
            rows > left
            ls "$FEEDSYNC_CACHE/images/sha256" | wc -l >> left
            """)
        #expect(try said("first.code") == "0\n")
        let errors = try said("again.err")
        #expect(try said("again.code") == "74\n", "\(errors)")
        #expect(errors.contains("some space is needed first"))
        #expect(errors.split(separator: "\n").count == 1)
        #expect(try said("rows") == "30\n30\n")
        let laterErrors = try said("third.err")
        #expect(try said("third.code") == "0\n", "\(laterErrors)")
        #expect(try said("left") == "0\n0\n")
        #expect(try said("third.out").contains(#""images_deleted":30"#))
    }

    @Test("A full disk ends the run with 74 and an intact cache, and the next run on a larger disk completes it")
    func images() async throws {
        let bytes = [UInt8](repeating: 3, count: 60_000)
        for number in 0..<40 { server.serve(.image(FeedServer.image(number) + bytes), at: number) }
        // Two of the images are missing for good.
        for number in 40..<42 { server.serve(Reply(503), at: number) }
        server.serve(feedOf: (0..<42).map(server.imageURL))
        try await onDisk(
            of: "2080k",
            """
            run first sync --json "$1"
            ls "$FEEDSYNC_CACHE/images/sha256" > had
            intact > damage
            run offline show --offline --json "$1"
            run status status --json
            ls "$FEEDSYNC_CACHE/incoming" > incoming
            remount size=16m
            run second sync "$1"
            run deep validate --deep --json
            intact >> damage
            ls "$FEEDSYNC_CACHE/images/sha256" > images
            """)
        #expect(try said("first.code") == "74\n")
        #expect(try said("first.err").contains("No space left on device"))
        // The lines are the error that ended the run, the cause that the two images share, and the summary.
        #expect(try said("first.err").split(separator: "\n").count == 3)
        let report = try JSONValue.parse(Array(said("first.out").utf8))
        #expect(report["error"]?["kind"]?.string == "storage")
        #expect(report["error"]?["message"]?.string?.contains("No space left on device") == true)
        let images = report["images"]
        #expect(images?["downloaded"]?.int == (try said("had").split(separator: "\n").count))
        #expect(images?["downloaded"]?.int.map { $0 > 0 } == true)
        #expect(images?["failed"]?.int == 2)
        #expect(try said("status.out").contains(#""images_cached":\#(images?["downloaded"]?.int ?? 0)"#))
        #expect(try said("damage") == "")
        #expect(try said("offline.code") == "0\n")
        #expect(try said("status.code") == "0\n")
        #expect(try said("second.code") == "23\n")
        #expect(try said("deep.out").contains(#""damaged":0"#))
        #expect(try said("images").split(separator: "\n").count == 40)
    }

    @Test("The exit code of a full disk outranks that of an unreachable feed")
    func unreachable() async throws {
        let dead = try DeadPort()
        server.serve(.image(FeedServer.image(0) + [UInt8](repeating: 3, count: 2 << 20)), at: 0)
        server.serve(feedOf: [server.imageURL(0)])
        try await onDisk(of: "1m", "run sync sync --retries 0 '\(dead.url("/feed.json"))' \"$1\"")
        #expect(try said("sync.code") == "74\n")
    }

    @Test("show delivers although the disk is too full for a new cache")
    func start() async throws {
        server.serve(images: [0])
        try await onDisk(
            of: "8k",
            """
            cat /dev/zero > "$FEEDSYNC_CACHE/ballast" 2> /dev/null
            run sync sync "$1"
            run show show "$1"
            rm "$FEEDSYNC_CACHE/ballast"
            remount size=16m
            run later sync "$1"
            """)
        #expect(try said("sync.code") == "74\n")
        #expect(try said("show.code") == "74\n")
        #expect(try said("show.err").contains("not saved"))
        #expect(try said("show.err").split(separator: "\n").count == 1)
        #expect(try said("show.out").contains(server.imageURL(0)))
        #expect(try said("later.code") == "0\n")
    }

    @Test("Saved feeds are read and unsaved ones delivered on a full disk")
    func reading() async throws {
        server.serve(images: [0, 1])
        let feed = Array(FeedServer.feed([server.imageURL(0), server.imageURL(1)]).utf8)
        let count = Tally()
        server.server.route("/feed.json") { [server] _ in
            count.add(1)
            return count.count == 1 ? .text(FeedServer.feed([server.imageURL(0)])) : Reply(body: feed)
        }
        try await onDisk(
            of: "1m",
            """
            run first sync "$1"
            cat /dev/zero > "$FEEDSYNC_CACHE/ballast" 2> /dev/null
            run status status
            run offline show --offline "$1"
            run cached image "${1%feed.json}0.png"
            run sync sync "$1"
            run show show "$1"
            run image image "${1%feed.json}1.png"
            rm "$FEEDSYNC_CACHE/ballast"
            run later sync "$1"
            intact > damage
            """)
        for name in ["status", "offline", "cached", "later"] {
            #expect(try said("\(name).code") == "0\n", "\(name)")
            #expect(try said("\(name).err") == "", "\(name)")
        }
        #expect(try said("status.out").contains("  1 of 1  "))
        #expect(try said("offline.out").contains(server.imageURL(0)))
        #expect(try Files.bytes(program.directory.path("results/cached.out")) == FeedServer.image(0))
        // No saved feed contains the image, so it is only delivered.
        #expect(try said("image.code") == "0\n")
        for name in ["sync", "show"] {
            #expect(try said("\(name).code") == "74\n", "\(name)")
            // The system and the database describe the same error in different words.
            let words = ["No space left on device", "disk is full"]
            let error = try said("\(name).err")
            #expect(words.contains { error.contains($0) }, "\(name): \(error)")
        }
        #expect(try said("show.out").contains(server.imageURL(1)))
        #expect(try Files.bytes(program.directory.path("results/image.out")) == FeedServer.image(1))
        #expect(try said("damage") == "")
    }

    @Test("A disk without any free byte can be read from, and feeds are delivered unsaved")
    func readOnly() async throws {
        server.serve(images: [0, 1])
        try await onDisk(
            of: "4m",
            """
            run first sync "$1"
            remount ro
            run status status
            run offline show --offline "$1"
            run cached image --offline "${1%feed.json}0.png"
            run sync sync "$1"
            run validate validate
            run show show "$1"
            run fallback show --proxy http://127.0.0.1:1 "$1"
            """)
        for name in ["first", "status", "offline", "cached"] {
            #expect(try said("\(name).code") == "0\n", "\(name)")
            #expect(try said("\(name).err") == "", "\(name)")
        }
        // If the saved feed is shown, nothing has to be saved.
        #expect(try said("fallback.code") == "0\n")
        for name in ["sync", "validate", "show"] {
            #expect(try said("\(name).code") == "73\n", "\(name)")
            #expect(try said("\(name).err").contains("Read-only file system"), "\(name)")
        }
        #expect(try said("offline.out").contains(server.imageURL(1)))
        #expect(try said("show.out").contains(server.imageURL(1)))
    }
}
