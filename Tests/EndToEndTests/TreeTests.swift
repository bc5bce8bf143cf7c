import Glibc
import JSONText
import TestSupport
import Testing

@Suite("A tree of files", .timeLimit(.minutes(10)))
struct TreeTests {
    let program: Program
    let server: FeedServer
    let tree: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
        tree = program.directory.path("tree")
    }

    /// Serves a feed of images with these titles, all published on one day in 2026.
    func sync(_ titles: [(number: Int, title: String)], feedTitle: String = "My Blog") async throws {
        var items: [JSONValue] = []
        for (number, title) in titles {
            server.serve(.png(number), at: number)
            items.append([
                "id": .string(FeedServer.id(number)), "title": .string(title),
                "image": .string(server.imageURL(number)),
                "date_published": .string("2026-11-\(number % 20 + 10)T08:00:00Z"), "content_text": "",
            ])
        }
        let feed: JSONValue = [
            "version": "https://jsonfeed.org/version/1.1", "title": .string(feedTitle), "items": .array(items),
        ]
        server.serve(feed: feed.text())
        expectQuiet(try await program.run(server.feedURL))
    }

    func write(_ options: String...) async throws -> JSONValue {
        let result = try await program.run(["tree", "--json"] + options + [tree])
        #expect(result.status == .exited(0), "\(result.errorText)")
        return try result.json
    }

    /// Returns everything below the tree except names that begin with a dot.
    func files(_ pattern: String = "*") async throws -> [String] {
        let found = try await program.shell(#"cd "$1" && find . -type f ! -name '.*' | sort"#, tree)
        return found.outputText.split(separator: "\n").map { String($0.dropFirst(2)) }
    }

    func result(_ files: Int, added: Int, renamed: Int = 0, removed: Int, missing: Int = 0) -> JSONValue {
        [
            "dir": .string(tree), "feeds": 1, "files": .integer(files), "added": .integer(added),
            "renamed": .integer(renamed), "removed": .integer(removed), "missing": .integer(missing),
        ]
    }

    @Test("A tree has a directory for each feed and names of dates and titles, and a second run does nothing")
    func names() async throws {
        try await sync([(0, "Dawn"), (1, "a/b: \"c\"?"), (2, "CON"), (20, "dawn")])
        #expect(try await write() == result(4, added: 4, removed: 0))
        #expect(
            try await files() == [
                "my-blog/2026-11-10 Dawn.png", "my-blog/2026-11-10 dawn (2).png", "my-blog/2026-11-11 a_b_ _c__.png",
                "my-blog/2026-11-12 CON.png",
            ])
        #expect(try Files.bytes("\(tree)/my-blog/2026-11-10 Dawn.png") == FeedServer.image(0))
        let before = try await program.shell(#"find "$1" -printf '%p %i %C@\n' | sort"#, tree).outputText
        #expect(try await write() == result(4, added: 0, removed: 0))
        #expect(try await program.shell(#"find "$1" -printf '%p %i %C@\n' | sort"#, tree).outputText == before)
    }

    @Test(
        "A tree is named by a template",
        arguments: [
            ("{year}/{month}/{title}", "2026/11/Dawn.png"), ("{n} {id}.{ext}", "001 \(FeedServer.id(0)).png"),
            ("{feed} {date}", "my-blog 2026-11-10.png"), ("{ext}/x", "png/x.png"), ("all {digest}", "all "),
        ])
    func templates(template: String, expected: String) async throws {
        try await sync([(0, "Dawn")])
        _ = try await write("--name", template)
        let files = try await files()
        #expect(files.count == 1 && files.first?.hasPrefix(expected) == true, "\(files)")
    }

    @Test("A template that names no file below the directory is wrong usage", arguments: ["{tilte}", "../x", "/x", ""])
    func wrongTemplate(_ template: String) async throws {
        expectOneLine(try await program.run("tree", "--name", template, tree), exit: 64, ["--name"])
    }

    @Test("A tree changes with new titles and images, and loses what left the cache with its directory")
    func changes() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write()
        try await sync([(0, "Dawn at sea"), (1, "Noon")])
        let inodes = #"cd "$1" && stat -c '%i %Z' my-blog/*Noon* && stat -c %i my-blog/*Dawn*"#
        let before = try await program.shell(inodes, tree).outputText
        #expect(try await write() == result(2, added: 0, renamed: 1, removed: 0))
        #expect(try await files() == ["my-blog/2026-11-10 Dawn at sea.png", "my-blog/2026-11-11 Noon.png"])
        #expect(try await program.shell(inodes, tree).outputText == before)
        try await program.run("remove", server.feedURL)
        let emptied = try await write()
        #expect(emptied["files"] == 0 && emptied["removed"] == 2)
        #expect(Files.names(in: tree) == [])
    }

    @Test("A tree keeps its file of an image that the cache has lost, under the new name of the image")
    func lostImages() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write()
        let lost = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))"
        #expect(unlink(lost) == 0)
        #expect(try await write() == result(2, added: 0, removed: 0, missing: 1))
        try await program.sql("UPDATE items SET title = 'Noon at sea' WHERE title = 'Noon'")
        #expect(try await write() == result(2, added: 0, renamed: 1, removed: 0, missing: 1))
        #expect(try Files.bytes("\(tree)/my-blog/2026-11-11 Noon at sea.png") == FeedServer.image(1))
        #expect(unlink("\(tree)/my-blog/2026-11-11 Noon at sea.png") == 0)
        #expect(try await write() == result(1, added: 0, removed: 0, missing: 1))
    }

    @Test("A tree leaves foreign and changed files alone, and their names") func foreign() async throws {
        mkdir(tree, 0o755)
        mkdir("\(tree)/my-blog", 0o755)
        _ = try await program.shell(#"echo mine > "$1/my-blog/2026-11-10 DAWN.png"; echo mine > "$1/notes""#, tree)
        try await sync([(0, "Dawn"), (1, "Noon"), (2, "Dusk")])
        _ = try await write()
        #expect(
            try await files() == [
                "my-blog/2026-11-10 DAWN.png", "my-blog/2026-11-10 Dawn (2).png", "my-blog/2026-11-11 Noon.png",
                "my-blog/2026-11-12 Dusk.png", "notes",
            ])
        // The file is edited by a program that writes a new file, as most do.
        _ = try await program.shell(#"cd "$1/my-blog"; rm *Noon.png; echo edited > "2026-11-11 Noon.png""#, tree)
        let told = try await program.run("tree", tree)
        #expect(told.errorText.contains("2026-11-11 Noon.png: was changed since"), "\(told.errorText)")
        #expect(try await files().contains("my-blog/2026-11-11 Noon (2).png"))
        expectQuiet(try await program.run("tree", tree))
        try await program.run("remove", server.feedURL)
        expectQuiet(try await program.run("tree", tree))
        #expect(try await files() == ["my-blog/2026-11-10 DAWN.png", "my-blog/2026-11-11 Noon.png", "notes"])
        #expect(try Files.bytes("\(tree)/my-blog/2026-11-11 Noon.png") == Array("edited\n".utf8))
    }

    @Test(
        "A directory whose name something foreign has gets the next free name, and nothing is written through a link",
        arguments: ["link", "FIFO", "file"])
    func directoryObstacle(kind: String) async throws {
        let elsewhere = program.directory.path("elsewhere")
        mkdir(tree, 0o755)
        mkdir(elsewhere, 0o755)
        switch kind {
        case "link": symlink(elsewhere, "\(tree)/my-blog")
        case "FIFO": mkfifo("\(tree)/my-blog", 0o666)
        default: try program.directory.write("mine", to: "tree/my-blog")
        }
        try await sync([(0, "Dawn")])
        expectQuiet(try await program.run("tree", tree))
        #expect(Files.exists("\(tree)/my-blog (2)/2026-11-10 Dawn.png"))
        #expect(Files.names(in: elsewhere) == [])
        #expect(try await write() == result(1, added: 0, removed: 0))
        unlink("\(tree)/my-blog")
        #expect(try await write() == result(1, added: 0, renamed: 1, removed: 0))
        #expect(try await files() == ["my-blog/2026-11-10 Dawn.png"])
    }

    @Test(
        "A file whose name something foreign has gets the next free name, whatever that is",
        arguments: ["link", "FIFO", "socket", "sparse file", "directory", "file of the same size"])
    func fileObstacle(kind: String) async throws {
        mkdir(tree, 0o755)
        mkdir("\(tree)/my-blog", 0o755)
        let path = "\(tree)/my-blog/2026-11-10 Dawn.png"
        switch kind {
        case "link": symlink("/etc/passwd", path)
        case "FIFO": mkfifo(path, 0o666)
        case "socket":
            _ = try await program.shell(
                #"python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$1""#, path)
        case "sparse file": _ = try await program.shell(#"truncate -s 1T "$1""#, path)
        case "directory": mkdir(path, 0o755)
        default:
            try program.directory.write(
                [UInt8](repeating: 0, count: FeedServer.image(0).count), to: "tree/my-blog/2026-11-10 Dawn.png")
        }
        #expect(lchown(path, 4711, 4711) == 0 || geteuid() != 0)
        try await sync([(0, "Dawn")])
        #expect(try await write() == result(1, added: 1, removed: 0))
        #expect(Files.exists("\(tree)/my-blog/2026-11-10 Dawn (2).png"))
        #expect(try await write() == result(1, added: 0, removed: 0))
    }

    @Test(
        "Files of the wanted names and bytes are taken over where the list is lost, in whatever order the feed is now")
    func adopted() async throws {
        try await sync([(0, "Dawn"), (20, "Dawn"), (1, "Noon")])
        #expect(try await write() == result(3, added: 3, removed: 0))
        let before = try await files()
        try await sync([(20, "Dawn"), (0, "Dawn"), (1, "Noon")])
        for _ in 1...2 {
            _ = try await program.shell(#"rm -r "$1/outputs""#, program.cache)
            // The list of an older version is an ordinary file.
            try program.directory.write("feedsync tree 1\n", to: "tree/.feedsync-tree")
            #expect(try await write() == result(3, added: 0, removed: 0))
        }
        #expect(try await files() == before)
        try await sync([(1, "Noon")])
        try await program.run("validate")
        #expect(try await write() == result(1, added: 0, removed: 2))
        #expect(Files.names(in: tree) == [".feedsync-tree", "my-blog"])
    }

    @Test("An image that takes the name of one that goes takes its place")
    func replaced() async throws {
        try await sync([(0, "Dawn")])
        _ = try await write()
        server.serve(.image(FeedServer.image(77)), at: 0)
        try await program.run("--revalidate", server.feedURL)
        #expect(try await write() == result(1, added: 1, removed: 1))
        #expect(try Files.bytes("\(tree)/my-blog/2026-11-10 Dawn.png") == FeedServer.image(77))
        #expect(try await files() == ["my-blog/2026-11-10 Dawn.png"])
    }

    @Test("A tree of an empty cache makes nothing")
    func empty() async throws {
        expectQuiet(try await program.run("tree", tree, environment: ["FEEDSYNC_CACHE": ""]))
        #expect(Files.names(in: program.directory.path) == [])
    }

    @Test("A tree is unchanged after it was copied or other times were set") func copied() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write()
        _ = try await program.shell(#"cp -r "$1" "$1.copy"; rm -rf "$1"; mv "$1.copy" "$1""#, tree)
        expectQuiet(try await program.run("tree", tree))
        #expect(try await files() == ["my-blog/2026-11-10 Dawn.png", "my-blog/2026-11-11 Noon.png"])
        let list = #"cat "$1"/outputs/*.list; stat -c %i "$1"/outputs/*.list"#
        let before = try await program.shell(list, program.cache).outputText
        expectQuiet(try await program.run("tree", tree))
        #expect(try await program.shell(list, program.cache).outputText == before)
    }

    @Test("A tree continues the work of a killed run and recognises the directories that it made")
    func goesOn() async throws {
        try await sync((0..<6).map { ($0, "Image \($0)") })
        let killed = try await program.shell(
            #"strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=KILL:when=4 "$feedsync" tree "$1""#,
            tree)
        #expect(killed.status != .exited(0))
        let had = try await files().count
        #expect((1..<6).contains(had))
        #expect(try await write() == result(6, added: 6 - had, removed: 0))
        try await program.run("remove", server.feedURL)
        _ = try await write()
        #expect(Files.names(in: tree) == [])
    }

    @Test(
        "Directories of feeds in a tree have letters of their own script and nothing secret",
        arguments: [("Café & Bar", "café-bar"), ("Фото дня 2024", "фото-дня-2024"), ("日本の写真", "日本の写真")])
    func directories(title: String, directory: String) async throws {
        try await sync([(0, "Dawn")], feedTitle: title)
        _ = try await write()
        #expect(Files.names(in: tree).contains(directory))
    }

    @Test("A tree has links to the cache on its file system, and dated copies on another")
    func placements() async throws {
        try await sync([(0, "Dawn")])
        _ = try await write()
        let name = "my-blog/2026-11-10 Dawn.png"
        let same = try await program.shell(
            #"[ "$1" -ef "$2" ] && echo linked; stat -c %y "$1""#, "\(tree)/\(name)",
            "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(0)))")
        #expect(same.outputText.hasPrefix("linked") || same.outputText.hasPrefix("2026-11-10 08:00:00"))
        let other = try await program.shellWithOwnMounts(
            #"""
            mkdir "$1" && mount -t tmpfs tmpfs "$1" && "$feedsync" tree "$1" && "$feedsync" tree -n "$1"
            TZ=UTC stat -c '%y %h' "$1/$2"
            """#, program.directory.path("other"), name)
        #expect(other.outputText == "2026-11-10 08:00:00.000000000 +0000 1\n", "\(other.errorText)")
    }

    @Test("A dry run of tree says what it would do and does nothing") func dryRun() async throws {
        try await sync([(0, "Dawn"), (20, "dawn")])
        let told = try await program.run("tree", "-n", tree)
        #expect(
            told.outputText == """
                would add \(tree)/my-blog/2026-11-10 Dawn.png
                would add \(tree)/my-blog/2026-11-10 dawn (2).png

                """)
        try await sync([(0, "Dawn")])
        #expect(!Files.exists(tree))
        _ = try await write()
        try await sync([(1, "Noon")])
        try await program.run("validate")
        #expect(
            try await program.run("tree", "-n", tree).outputText == """
                would remove \(tree)/my-blog/2026-11-10 Dawn.png
                would add \(tree)/my-blog/2026-11-11 Noon.png

                """)
        #expect(try await files() == ["my-blog/2026-11-10 Dawn.png"])
    }

    @Test("A sync renews the tree at its end, and the failure of the tree is the run's") func afterSync() async throws {
        try await sync([(0, "Dawn")])
        expectQuiet(try await program.run("--tree", tree, "--name", "{title}", server.feedURL))
        #expect(try await files() == ["Dawn.png"])
        let failed = try await program.run("--tree", "\(program.cache)/x", server.feedURL)
        #expect(failed.status == .exited(73) && failed.errorText.contains("belongs to the cache"))
    }

    @Test("tree waits for another run no longer than --lock-wait says") func locked() async throws {
        try await sync([(0, "Dawn")])
        do {
            let lock = try await HeldLock(ofOutput: tree, of: program)
            expectOneLine(try await program.run("tree", tree), exit: 75, ["another feedsync run"])
            withExtendedLifetime(lock) {}
        }
        mkdir(tree, 0o755)
        expectQuiet(try await program.shell(#"flock "$1" "$feedsync" tree "$1""#, tree))
    }

    @Test(
        "A tree is completed by the next run, wherever a run was killed",
        arguments: ["renameat2", "renameat", "unlinkat", "linkat", "mkdirat", "utimensat", "fsync"])
    func killed(call: String) async throws {
        let outputs = "\(program.cache)/outputs"
        try await sync((0..<6).map { ($0, "Image \($0)") })
        _ = try await write()
        _ = try await program.shell(
            #"echo mine > "$1/my-blog/mine"; cp -a "$1" "$1.before"; cp -a "$2" "$2.before""#, tree, outputs)
        // Two images exchange their titles, one gets a new one, some leave and some arrive.
        let titles = [3: "Image 4", 4: "Image 3", 5: "Five"]
        let published = (3..<9).map { ($0, titles[$0] ?? "Image \($0)") } + [(0, "Other")]
        try await sync(published)
        try await program.run("validate")
        for number in 1...20 {
            let restore = #"for path; do rm -rf "$path" && cp -a "$path.before" "$path"; done"#
            _ = try await program.shell(restore, tree, outputs)
            let killed = try await program.shell(
                #"strace -f -qq -o /dev/null -e trace="$2" -e inject="$2":signal=KILL:when="$3" "$feedsync" tree "$1""#,
                tree, call, String(number))
            if killed.status == .exited(0) { break }
            expectQuiet(try await program.run("tree", tree))
            let found = try await program.shell(#"cd "$1" && find . -type f | sort"#, tree).outputText
            let names = published.map { "./my-blog/2026-11-1\($0) \($1).png" } + ["./my-blog/mine"]
            #expect(found == names.sorted().map { "\($0)\n" }.joined(), "\(call) \(number)")
            expectQuiet(try await program.run("tree", tree))
            #expect(try await write() == result(7, added: 0, removed: 0), "\(call) \(number)")
        }
    }
}
