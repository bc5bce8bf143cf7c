import Glibc
import JSONText
import TestSupport
import Testing

/// These tests are about the files of a tree and their contents.
extension TreeTests {
    /// Serves a feed with these items, newest first.
    private func sync(items: [JSONValue]) async throws {
        let feed: JSONValue = [
            "version": "https://jsonfeed.org/version/1.1", "title": "My Blog", "items": .array(items),
        ]
        server.serve(feed: feed.text())
        expectQuiet(try await program.run(server.feedURL))
    }

    private func item(_ number: Int, _ members: [String: JSONValue] = [:]) -> JSONValue {
        server.serve(.png(number), at: number)
        var item: [String: JSONValue] = [
            "id": .string("item \(number)"), "image": .string(server.imageURL(number)), "content_text": "",
        ]
        item.merge(members) { $1 }
        return .object(item.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    @Test("The number of an image counts from the end of the feed, and never changes")
    func numbers() async throws {
        func names(_ numbers: [Int]) async throws -> [String] {
            try await sync(items: numbers.map { item($0) })
            _ = try await write("--name", "{n} {id}")
            return try await files()
        }
        #expect(try await names([2, 1]) == ["001 item 1.png", "002 item 2.png"])
        // The older image that appears later gets the next number.
        #expect(
            try await names([3, 2, 1, 0]) == ["001 item 1.png", "002 item 2.png", "003 item 0.png", "004 item 3.png"])
        _ = try await write()
        #expect(try await names([3, 1]) == ["001 item 1.png", "004 item 3.png"])
        #expect(try await names([4, 2]) == ["002 item 2.png", "005 item 4.png"])
    }

    @Test("A file that people deleted stays deleted until --again, or until no other file is left")
    func deleted() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write()
        let noon = "\(tree)/my-blog/2026-11-11 Noon.png"
        unlink(noon)
        for _ in 1...2 { #expect(try await write() == result(1, added: 0, removed: 0)) }
        try await sync([(0, "Dawn"), (1, "High noon"), (2, "Dusk")])
        #expect(try await write() == result(2, added: 1, removed: 0))
        #expect(try await program.run("tree", "-n", "--again", tree).outputText.contains("would add "))
        #expect(try await write("--again") == result(3, added: 1, removed: 0))
        unlink("\(tree)/my-blog/2026-11-11 High noon.png")
        #expect(try await write() == result(2, added: 0, removed: 0))
        _ = try await program.shell(#"rm -r "$1/my-blog""#, tree)
        #expect(try await write() == result(3, added: 3, removed: 0))
        for name in ["config", "environment"] {
            try program.directory.write(Array("again\n".utf8), to: "config")
            let path = program.directory.path("config")
            let wrong =
                name == "config"
                ? try await program.run("tree", "--config", path, tree)
                : try await program.run(["tree", tree], environment: ["FEEDSYNC_AGAIN": "true"])
            #expect(wrong.status == .exited(78), "\(name)")
        }
    }

    @Test("A deleted file that people bring back is a file of the tree again")
    func broughtBack() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write()
        let noon = "\(tree)/my-blog/2026-11-11 Noon.png"
        let bin = program.directory.path("bin")
        #expect(rename(noon, bin) == 0)
        _ = try await write()
        #expect(rename(bin, noon) == 0)
        #expect(try await write() == result(2, added: 0, removed: 0))
        try await sync([(0, "Dawn"), (1, "High noon")])
        #expect(try await write() == result(2, added: 0, renamed: 1, removed: 0))
    }

    @Test("--newest lays out the newest images of each feed, and equal images of a feed are one file")
    func newest() async throws {
        server.serve(.png(0), at: 3)
        let date: (Int) -> JSONValue = { .string("2026-11-1\($0)T08:00:00Z") }
        try await sync(
            items: [
                item(0, ["title": "Old", "date_published": date(0)]), item(1, ["date_published": date(1)]),
                item(2, ["date_published": date(2)]),
                [
                    "id": "again", "image": .string(server.imageURL(3)), "title": "New", "date_published": date(3),
                    "content_text": "",
                ],
            ])
        #expect(try await write("--newest", "2") == result(2, added: 2, removed: 0))
        #expect(try await files() == ["my-blog/2026-11-12 item 2.png", "my-blog/2026-11-13 New.png"])
        #expect(try await write() == result(3, added: 1, removed: 0))
        expectQuiet(try await program.run("--tree", tree, "--newest", "1", "--xmp", server.feedURL))
        #expect(try await files() == ["my-blog/2026-11-13 New.png", "my-blog/2026-11-13 New.png.xmp"])
        expectOneLine(try await program.run("tree", "--newest", "0", tree), exit: 64, ["--newest"])
    }

    @Test("exiftool reads every field of a sidecar, which has no character that XML forbids")
    func sidecars() async throws {
        try await sync(items: [
            item(
                0,
                [
                    "title": "Dawn\u{1} & <dusk>\u{FFFE}", "date_published": "2026-11-10T08:00:00Z",
                    "content_html": .string(
                        #"<img src="\#(server.imageURL(0))" alt="Fog over ]]&gt; the sea">"#),
                    "url": "https://example.com/post?a=1&b=2", "authors": [["name": "Ann \"A\" Bell"]],
                    "tags": ["sea\u{B}", "fog & mist"],
                ])
        ])
        #expect(try await write("--xmp") == result(2, added: 2, removed: 0))
        let path = "\(tree)/my-blog/2026-11-10 Dawn & _dusk_.png.xmp"
        let bytes = try Files.bytes(path)
        #expect(bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        let read = try await program.shell(
            #"python3 -c 'import sys; from xml.dom.minidom import parse; parse(sys.argv[1])' "$1" && exiftool -j -G1 "$1""#,
            path)
        let fields = try #require(try JSONValue.parse(read.standardOutput).array?.first, "\(read.errorText)")
        for (name, value) in [
            ("XMP-dc:Title", "Dawn & <dusk>"), ("XMP-dc:Creator", #"Ann "A" Bell"#),
            ("XMP-dc:Source", "https://example.com/post?a=1&b=2"),
            ("XMP-photoshop:DateCreated", "2026:11:10 08:00:00Z"),
            ("XMP-xmp:CreateDate", "2026:11:10 08:00:00Z"), ("XMP-dc:Description", "Fog over ]]> the sea"),
        ] {
            #expect(fields[name] == .string(value) || fields[name] == [.string(value)], "\(name)")
        }
        #expect(
            fields["XMP-dc:Subject"] == ["sea", "fog & mist"]
                && fields["XMP-digiKam:TagsList"] == ["sea", "fog & mist"])
        #expect(try await write("--xmp") == result(2, added: 0, removed: 0))
        _ = try await program.shell(#"echo edited >> "$1""#, path)
        _ = try await program.run("tree", "--xmp", tree)
        #expect(try Files.bytes(path) == bytes + Array("edited\n".utf8))
    }

    @Test("A sidecar that people deleted stays deleted, and all are deleted without --xmp")
    func deletedSidecars() async throws {
        try await sync([(0, "Dawn"), (1, "Noon")])
        _ = try await write("--xmp")
        unlink("\(tree)/my-blog/2026-11-11 Noon.png.xmp")
        #expect(try await write("--xmp") == result(3, added: 0, removed: 0))
        try await sync([(0, "Dawn"), (1, "High noon")])
        #expect(try await write("--xmp") == result(3, added: 0, renamed: 1, removed: 0))
        #expect(try await write("--xmp", "--again") == result(4, added: 1, removed: 0))
        #expect(try await write() == result(2, added: 0, removed: 2))
    }

    @Test("The files of a cache and of a tree have the dates of their images, in years before 1970 too")
    func dates() async throws {
        let old = "1925-03-04T05:06:07Z"
        try await sync(items: [item(0, ["title": "Dawn", "date_published": .string(old)])])
        let image = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(0)))"
        let time = #"TZ=UTC stat -c %y "$1""#
        #expect(try await program.shell(time, image).outputText.hasPrefix("1925-03-04 05:06:07"))
        _ = try await write()
        #expect(
            try await program.shell(time, "\(tree)/my-blog/1925-03-04 Dawn.png").outputText
                .hasPrefix("1925-03-04 05:06:07"))
    }

    @Test("The tree of an older version keeps its files, and what was deleted in it")
    func olderList() async throws {
        try await sync([(0, "Dawn"), (1, "Noon"), (2, "Dusk")])
        _ = try await write()
        let older = try await program.shell(
            #"""
            sed -i -E '1s/2/1/; s/^image [0-9]+ -?[0-9]+ /file /; /^(feed|number) /d' "$1"/outputs/*.list
            cat "$1"/outputs/*.list; rm "$2"/my-blog/*Dusk*
            """#, program.cache, tree)
        #expect(older.outputText.hasPrefix("feedsync output 1\n") && !older.outputText.contains("image "))
        try await sync([(0, "Dawn"), (1, "High noon"), (2, "Dusk")])
        #expect(try await write() == result(2, added: 0, renamed: 1, removed: 0))
        #expect(try await files() == ["my-blog/2026-11-10 Dawn.png", "my-blog/2026-11-11 High noon.png"])
        #expect(try await write() == result(2, added: 0, removed: 0))
    }

    @Test("Names move along chains and exchange places without a new file, also where only their case differs")
    func exchanged() async throws {
        try await sync(items: (0..<4).map { item($0, ["title": .string("\($0)")]) })
        _ = try await write("--name", "{title}", "--xmp")
        let inodes = #"cd "$1" && stat -c '%i' 0.png 1.png 2.png 3.png"#
        let before = try await program.shell(inodes, tree).outputText
        for (titles, order) in [(["1", "0", "3", "2"], [1, 0, 3, 2]), (["2", "3", "0", "a"], [2, 3, 0, 1])] {
            try await sync(items: (0..<4).map { item($0, ["title": .string(titles[$0])]) })
            let plan = try await program.run("tree", "-n", "--xmp", "--name", "{title}", tree)
            #expect(plan.outputText.contains("would rename \(tree)/"))
            let report = try await write("--name", "{title}", "--xmp")
            #expect(report["files"] == 8 && report["renamed"]?.int ?? 0 > 2, "\(order) \(report)")
        }
        try await sync(items: (0..<4).map { item($0, ["title": .string(["2", "3", "0", "A"][$0])]) })
        _ = try await write("--name", "{title}", "--xmp")
        #expect(try await files().count == 8 && Files.exists("\(tree)/A.png") && !Files.exists("\(tree)/a.png"))
        let after = try await program.shell(#"cd "$1" && stat -c '%i' *.png | sort"#, tree).outputText
        #expect(after == before.split(separator: "\n").sorted().map { "\($0)\n" }.joined())
    }
}
