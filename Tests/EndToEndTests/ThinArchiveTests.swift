import Glibc
import JSONText
import TestSupport
import Testing

/// Archives that leave out the images of older archives.
@Suite("Thin archives, from outside", .timeLimit(.minutes(10)))
struct ThinArchiveTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
    }

    private func path(_ name: String) -> String { program.directory.path(name) }

    /// Syncs the first `count` images, and exports them without the images of older archives.
    private func export(_ count: Int, to name: String, without older: [String] = []) async throws {
        server.serve(images: Array(0..<count))
        expectQuiet(try await program.run(server.feedURL))
        let options = older.flatMap { ["--without", path($0)] }
        expectQuiet(try await program.run(["export"] + options + [path(name)]))
    }

    /// Returns the digests of the given images that an archive contains.
    private func contents(of name: String, among count: Int) async throws -> [Int] {
        let list = try await program.shell(#"tar -tf "$1""#, path(name)).outputText
        var found: [Int] = []
        for number in 0..<count {
            if list.contains(try await program.digest(of: server.imageURL(number))) { found.append(number) }
        }
        return found
    }

    private func restored(_ names: [String]) async throws -> Program {
        let copy = try Program()
        expectQuiet(try await copy.run(["import", "--restore"] + names.map(path)))
        return copy
    }

    @Test("A full and a thin archive give the same cache in either order")
    func twoOrders() async throws {
        try await export(3, to: "full.tar")
        try await export(5, to: "thin.tar", without: ["full.tar"])
        #expect(try await contents(of: "thin.tar", among: 5) == [3, 4])
        let whole = try await program.run("export", "-").standardOutput
        for order in [["full.tar", "thin.tar"], ["thin.tar", "full.tar"]] {
            let copy = try await restored(order)
            #expect(try await copy.run("export", "-").standardOutput == whole, "\(order)")
        }
        let copy = try await restored(["full.tar"])
        expectQuiet(try await copy.run("import", "--restore", path("thin.tar")))
        #expect(try await copy.run("export", "-").standardOutput == whole)
    }

    @Test("A full archive and three thin ones merge in any order, and each contains only what is new")
    func chain() async throws {
        try await export(1, to: "0.tar")
        try await export(2, to: "1.tar", without: ["0.tar"])
        try await export(3, to: "2.tar.gz", without: ["0.tar", "1.tar"])
        try await export(4, to: "3.tar.zst", without: ["0.tar", "1.tar", "2.tar.gz"])
        #expect(try await contents(of: "2.tar.gz", among: 4) == [2])
        #expect(try await contents(of: "3.tar.zst", among: 4) == [3])
        let whole = try await program.run("export", "-").standardOutput
        // A thin archive counts for the images that it contains itself.
        try await export(4, to: "4.tar", without: ["2.tar.gz"])
        #expect(try await contents(of: "4.tar", among: 4) == [0, 1, 3])
        let names = ["0.tar", "1.tar", "2.tar.gz", "3.tar.zst"]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            let copy = try await restored(order.map { names[$0] })
            #expect(try await copy.run("export", "-").standardOutput == whole, "\(order)")
        }
    }

    @Test("A thin archive is marked, has the same bytes every time, and may read the old one from a pipe")
    func deterministic() async throws {
        try await export(2, to: "full.tar")
        try await export(3, to: "thin.tar", without: ["full.tar"])
        for (name, mark) in [("full.tar", nil), ("thin.tar", "true" as JSONValue?)] {
            let index = try await program.shell(#"tar -xOf "$1" index.json"#, path(name)).standardOutput
            #expect(try JSONValue.parse(index)["annotations"]?["org.feedsync.thin"] == mark)
        }
        let thin = try Files.bytes(path("thin.tar"))
        let piped = try await program.run(
            "export", "--without", "-", "-", input: try Files.bytes(path("full.tar")))
        #expect(piped.status == .exited(0) && piped.standardOutput == thin)
        let fifo = try await program.shell(
            #"mkfifo "$1/fifo"; cat "$1/full.tar" >"$1/fifo" & "$feedsync" export --without "$1/fifo" -"#,
            program.directory.path)
        #expect(fifo.standardOutput == thin)
    }

    @Test("A thin archive counts the images that it contains")
    func json() async throws {
        try await export(2, to: "full.tar")
        server.serve(images: [0, 1, 2])
        try await program.run(server.feedURL)
        let exported = try await program.run("export", "--json", "--without", path("full.tar"), path("thin.tar")).json
        #expect(exported["images"] == 1 && exported["bytes"]?.int == Files.size(path("thin.tar")))
    }

    @Test("Images that are nowhere are missing after an import, and the next sync requests them")
    func missing() async throws {
        try await export(2, to: "full.tar")
        try await export(3, to: "thin.tar", without: ["full.tar"])
        let copy = try Program()
        let plain = try await copy.run("import", path("thin.tar"))
        expectOneLine(plain, exit: 65, ["import --restore", "nothing was imported"])
        let imported = try await copy.run("import", "--restore", "--json", path("thin.tar"))
        #expect(imported.status == .exited(0))
        #expect(imported.errorLines.count == 1 && imported.errorText.contains("restore the older archives first"))
        let counts = try imported.json["archives"]?[0]
        #expect(counts?["images_added"] == 1 && counts?["images_missing"] == 2)
        let count = server.requestCount
        expectQuiet(try await copy.run())
        #expect(server.paths(after: count).sorted() == ["/0.png", "/1.png", "/feed.json"])
        #expect(try await copy.status()["feeds"]?[0]?["images_cached"] == 3)
    }

    @Test("An image that a thin archive left out comes back with a later archive, unless it was removed")
    func removed() async throws {
        try await export(2, to: "full.tar")
        try await export(3, to: "thin.tar", without: ["full.tar"])
        let copy = try Program()
        try await copy.run("import", "--restore", path("thin.tar"))
        try await copy.run("remove", server.imageURL(0))
        let again = try await copy.run("import", "--restore", "--json", path("full.tar")).json["archives"]?[0]
        #expect(again?["images_added"] == 1)
        let removed = try await program.digest(of: server.imageURL(0))
        #expect(Files.names(in: copy.imageDirectory).count == 2)
        #expect(!Files.names(in: copy.imageDirectory).contains(removed))
    }
}

/// Thin archives that are wrong, and those of others.
@Suite("Thin archives of strangers, from outside", .timeLimit(.minutes(10)))
struct HostileThinArchiveTests {
    private let program: Program
    private let server: FeedServer
    private var full: String { program.directory.path("full.tar") }
    private var thin: String { program.directory.path("thin.tar") }

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        try await program.run(server.feedURL)
        try await program.run("export", full)
    }

    @Test("A damaged or missing old archive is an error, and nothing is written")
    func badOld() async throws {
        let whole = try Files.bytes(full)
        let zipped = try await Subprocess.gzip(whole)
        let other = try await program.shell(#"cd "$1" && tar -cf - cache"#, program.directory.path).standardOutput
        // The last image is followed by an end marker of two blocks.
        let damaged: [(String, [UInt8])] = [
            ("empty", []), ("text", Array("no archive at all\n".utf8)), ("cut.tar", Array(whole.dropLast(1600))),
            ("between.tar", Array(whole.dropLast(1024))), ("marker.tar", Array(whole.dropLast(512))),
            ("cut.tar.gz", Array(zipped.dropLast(50))), ("other.tar", other),
            ("lists.tar", Array(whole[..<2048]) + [UInt8](repeating: 0, count: 1024)),
        ]
        for (name, bytes) in damaged {
            let old = try program.directory.write(bytes, to: name)
            for others in [[], ["--without", full]] {
                let result = try await program.run(["export"] + others + ["--without", old, thin])
                expectOneLine(result, exit: 65, [name, "nothing was exported"])
                #expect(!Files.exists(thin), "\(name)")
            }
        }
        let missing = program.directory.path("missing.tar")
        expectOneLine(try await program.run("export", "--without", missing, thin), exit: 66, [missing])
        #expect(!Files.exists(thin))
    }

    @Test("An old archive that is the file to write is wrong usage, by whatever path")
    func same() async throws {
        let before = try Files.bytes(full)
        let (symbolic, hard) = (program.directory.path("symbolic.tar"), program.directory.path("hard.tar"))
        symlink("full.tar", symbolic)
        link(full, hard)
        let pairs = [
            (full, full), (symbolic, full), (full, symbolic), (hard, full),
            ("\(program.directory.path)/./full.tar", full),
        ]
        for (old, file) in pairs {
            expectOneLine(try await program.run("export", "--without", old, file), exit: 64, [old])
        }
        let appended = try await program.shell(#""$feedsync" export --without "$1" - >>"$1""#, full)
        expectOneLine(appended, exit: 64, [full])
        #expect(try Files.bytes(full) == before)
    }

    @Test("--without is for one call only")
    func notConfigurable() async throws {
        let config = try program.directory.write("without = \(full)\n", to: "config")
        expectOneLine(try await program.run("--config", config, "export", thin), exit: 78, ["without"])
        expectOneLine(
            try await program.run("export", thin, environment: ["FEEDSYNC_WITHOUT": full]), exit: 78,
            ["FEEDSYNC_WITHOUT"])
        expectOneLine(try await program.run("--without", full, server.feedURL), exit: 64, ["--without"])
        expectOneLine(try await program.run("export", "--without=", thin), exit: 64, ["--without"])
    }

    @Test("A thin archive that is cut off anywhere is refused")
    func cutOff() async throws {
        server.serve(images: [0, 1, 2])
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("export", "--without", full, thin))
        let whole = try Files.bytes(thin)
        for length in [1, 512, 513, 1024, 1600, 2048, whole.count / 2] {
            let copy = try Program()
            let cut = Array(whole.dropLast(length))
            expectOneLine(
                try await copy.run("import", "-", input: cut), exit: 65, ["nothing was imported"])
            #expect(!Files.exists(copy.database) || Files.names(in: copy.imageDirectory).isEmpty)
        }
        let copy = try Program()
        // A full archive is complete without its end marker.
        let bare = Array(try Files.bytes(full).dropLast(1024))
        expectQuiet(try await copy.run("import", "--restore", "-", input: bare))
    }

    @Test("A thin archive takes the data that an earlier archive brought for another feed")
    func broughtBefore() async throws {
        let other = try FeedServer(images: 2)
        let second = try Program()
        try await second.run(other.feedURL)
        expectQuiet(try await second.run("export", "--without", full, thin))
        let copy = try Program()
        expectQuiet(try await copy.run("import", "--restore", full))
        let imported = try await copy.run("import", "--restore", "--json", thin).json["archives"]?[0]
        #expect(imported?["images_added"] == 2 && imported?["images_missing"] == 0)
        #expect(Files.names(in: copy.imageDirectory).count == 2)
    }
}
