import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("The plan of a tree")
struct TreePlanTests {
    private static let feed = FeedTag(bits: 1)

    private static func digest(_ number: Int) throws -> Digest {
        try #require(Digest(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }))
    }

    private func file(
        _ stem: String, _ digest: Digest, of feed: FeedTag = feed, in directory: String = "a"
    ) -> TreeFile {
        TreeFile(
            feed: 0, position: 0, tag: feed, content: FileContent(digest: digest, size: 1),
            date: Timestamp(microseconds: 0), directory: directory, stem: stem, ending: ".png")
    }

    private func found(_ path: String, _ digest: Digest, of feed: FeedTag? = feed, isOwn: Bool = true) -> FoundFile {
        FoundFile(
            path: path,
            file: OwnFile(
                content: FileContent(digest: digest, size: 1), modified: FileTime(seconds: 0, nanoseconds: 0)),
            purpose: feed.map { .image(of: $0, date: Timestamp(microseconds: 0)) }, isOwn: isOwn)
    }

    @Test(
        "A path with a number is also a later path of the file without it",
        arguments: [
            ("a/b.png", ["a/b.png"]), ("a/b (2).png", ["a/b (2).png", "a/b.png"]), ("a (2)/b.png", ["a (2)/b.png"]),
            ("b (12).c (3).png", ["b (12).c (3).png", "b (12).c.png"]), ("b (1).png", ["b (1).png"]),
            ("b (02).png", ["b (02).png"]), ("b(2).png", ["b(2).png"]), ("(2).png", ["(2).png"]), ("b", ["b"]),
        ])
    func names(path: String, expected: [String]) {
        #expect(ForeignFiles.firstPaths(of: path) == expected)
    }

    @Test(
        "A file can have its name with any number from 2",
        arguments: [
            ("a/b.png", true), ("a/b (2).png", true), ("a/b (10).png", true), ("a/b (1).png", false),
            ("a/b (02).png", false), ("a/b ().png", false), ("a/b (2.png", false), ("a/b 2).png", false),
            ("a/b.png.png", false), ("a/b (2)", false), ("a/b (2).jpg", false), ("a/c.png", false), ("b.png", false),
            ("a/b (x).png", false), ("a/b.pn", false), ("", false), ("a/b (2) (3).png", false), ("A/b.png", false),
        ])
    func canHave(path: String, expected: Bool) throws {
        #expect(file("b", try Self.digest(1)).canHave(path) == expected)
        let inRoot = file("b", try Self.digest(1), in: "")
        #expect(inRoot.canHave("b (2).png") && !inRoot.canHave("a/b.png"))
    }

    @Test("A file is matched by its feed, its bytes and its name, whatever the number")
    func matching() throws {
        let (one, two) = (try Self.digest(1), try Self.digest(2))
        var matching = TreeMatching([
            found("a/x (2).png", one), found("a/x.png", two), found("a/x (3).png", two, of: nil),
            found("a/y (2).png", one, of: FeedTag(bits: 2)), found("a/z.png", one), found("a/z.png.xmp", two, of: nil),
        ])
        #expect(matching.take(named: file("x", two))?.path == "a/x.png")
        #expect(matching.take(named: file("x", two))?.path == "a/x (3).png")
        #expect(matching.take(named: file("x", two)) == nil)
        #expect(matching.take(named: file("y", one)) == nil)
        #expect(matching.takeRenamed(file("y", one))?.path == "a/x (2).png")
        #expect(matching.takeRenamed(file("y", one))?.path == "a/z.png")
        #expect(matching.takeRenamed(file("y", one)) == nil)
        #expect(matching.takeLeftover(file("y", one))?.path == "a/y (2).png")
        #expect(matching.takeLeftover(file("y", one)) == nil)
        #expect(matching.rest.isEmpty)
    }

    @Test("The steps of matching grow linearly with the files")
    func growth() throws {
        func steps(_ count: Int) throws -> Int {
            let digests = try (0..<count).map(Self.digest)
            var matching = TreeMatching(digests.enumerated().map { found("a/\($0).png", $1) })
            for number in 0..<count {
                if number % 2 == 0 {
                    #expect(matching.take(named: file("\(number)", digests[number])) != nil)
                } else {
                    #expect(matching.take(named: file("x", digests[number])) == nil)
                    #expect(matching.takeRenamed(file("x", digests[number])) != nil)
                }
            }
            return matching.steps
        }
        let (few, many) = (try steps(500), try steps(5000))
        #expect(many <= 11 * few, "\(few) \(many)")
    }

    @Test("Names that differ only in case are distinguished, even from those of files to be deleted")
    func freeNames() throws {
        let digest = try Self.digest(1)
        var free = FreeNames(going: ["a/Dawn.png", "a/Noon.png"])
        free.take("a/DUSK.png")
        free.take("a/Night.png.XMP")
        #expect(free.path(for: file("Noon", digest)) == "a/Noon.png")
        #expect(free.path(for: file("dawn", digest)) == "a/dawn (2).png")
        #expect(free.path(for: file("dusk", digest)) == "a/dusk (2).png")
        #expect(free.path(for: file("Dusk", digest)) == "a/Dusk (3).png")
        #expect(free.path(for: file("Night", digest), with: ".xmp") == "a/Night (2).png")
    }

    @Test(
        "Renames are ordered so that each new name is free, with a detour for circles",
        arguments: [
            (["a>b"], [.move(0)]), (["a>b", "b>c", "c>d"], [.move(2), .move(1), .move(0)]),
            (["c>d", "b>c", "a>b"], [.move(0), .move(1), .move(2)]),
            (["a>b", "b>a"], [.setAside(0), .move(1), .bringBack(0)]),
            (["a>b", "b>c", "c>a", "x>y"], [.setAside(0), .move(2), .move(1), .bringBack(0), .move(3)]),
            (["a>A"], [.setAside(0), .bringBack(0)]), (["b>C", "c>d"], [.move(1), .move(0)]),
        ] as [([String], [MoveOrder.Step])])
    func order(moves: [String], expected: [MoveOrder.Step]) {
        let moves = moves.map { TreeMove(from: String($0.prefix(1)), to: String($0.suffix(1)), purpose: .sidecar) }
        #expect(MoveOrder(moves).steps == expected)
    }

    @Test("The images of a feed are ordered by their dates, and those without one by their place in the feed")
    func order() throws {
        func images(_ dates: [Int64?], sameBytes: Set<Int> = []) throws -> [GalleryImage] {
            try dates.enumerated().map { index, date in
                let stored = StoredImage(
                    digest: try Self.digest(sameBytes.contains(index) ? 1000 : index), size: 1, type: .png,
                    validators: Validators(), fetchedAt: Timestamp(microseconds: 0), directory: "images")
                let post = FeedPost(published: date.map { Timestamp(microseconds: $0) })
                return GalleryImage(
                    image: FeedImage(id: "\(index)", url: try Samples.url("https://a.example/\(index)"), post: post),
                    data: .stored(stored))
            }
        }
        #expect(TreeOrder.chosen(try images([nil, nil, nil]), newest: nil) == [2, 1, 0])
        #expect(TreeOrder.chosen(try images([1, 3, 2]), newest: nil) == [0, 2, 1])
        #expect(TreeOrder.chosen(try images([5, 5, nil, 4]), newest: nil) == [3, 2, 1, 0])
        #expect(TreeOrder.chosen(try images([1, 3, 2]), newest: 2) == [2, 1])
        #expect(TreeOrder.chosen(try images([4, 3, 2, 1], sameBytes: [0, 2]), newest: nil) == [3, 1, 0])
        #expect(TreeOrder.chosen(try images([4, 3, 2, 1], sameBytes: [0, 2]), newest: 2) == [1, 0])
    }
}

@Suite("Names that hold on every file system")
struct SafeNameTests {
    @Test(
        "A safe name is the text without the characters that some file systems lack",
        arguments: [
            ("A day out", "A day out"), ("a/b\\c", "a_b_c"), (#"<>:"|?*"#, "_______"),
            (" two  blanks \n", "two blanks"),
            (".hidden", "_hidden"), ("..", "_"), ("end. . ", "end"), ("", "_"), (" \u{200B}", "_"), ("e\u{301}", "é"),
            ("con", "con_"), ("CON.txt", "CON_.txt"), ("com1", "com1_"), ("lpt²", "lpt²_"), ("Nul .x", "Nul _.x"),
            ("console", "console"), ("nul.\u{301}x", "nul_.\u{301}x"), ("com10", "com10"), ("CONIN$", "CONIN$_"),
            ("a\u{202E}b\u{2066}c", "abc"),
            ("tab\tnew\r\nline", "tab new line"), ("\u{0}\u{7F}\u{9F}x", "x"), ("日本", "日本"),
        ])
    func names(text: String, expected: String) { #expect(SafeName.make(text) == expected) }

    @Test("A safe name is cut between characters") func cut() {
        #expect(SafeName.make(String(repeating: "é", count: 150)).utf8.count == 200)
        #expect(SafeName.make(String(repeating: "👨‍👩‍👧", count: 20), limit: 40) == "👨‍👩‍👧👨‍👩‍👧")
        #expect(SafeName.make("a" + String(repeating: "\u{301}", count: 300)) == "_")
        #expect(SafeName.make("abc. def", limit: 5) == "abc")
    }

    @Test("Two safe names have one key if a file system without case takes them for one") func keys() {
        for (one, other) in [("A", "a"), ("É", "é"), ("ǅ", "ǆ"), ("Σ", "ς"), ("ẞ", "ß")] {
            #expect(SafeName.key(one) == SafeName.key(other))
        }
        #expect(SafeName.key("a") != SafeName.key("b"))
    }

    @Test("Safe names of 2,000 hostile texts are valid by the rules of NTFS and exFAT") func hostile() {
        var random = SeededGenerator(seed: 7)
        let parts: [String] =
            [
                "con", "NUL", "aux.", "com¹", "lpt9", ".", "..", " ", "\u{0}", "\n", "\u{202E}", "/", "\\", ":", "*",
                "?", "\"", "<", ">", "|",
                "é", "e\u{301}", "日", "👨‍👩‍👧", "\u{200D}", "x", "long text ", "\u{1F}", "\u{85}", "ß", "$",
                "\u{2028}", "\u{FFFD}",
            ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            let name = SafeName.make(text)
            #expect(!name.isEmpty && name.utf8.count <= 200 && name.utf16.count <= 255, "\(text.debugDescription)")
            // Windows forbids these characters, and removes dots and blanks at the end.
            #expect(!name.unicodeScalars.contains { $0.value < 0x20 || "<>:\"/\\|?*".unicodeScalars.contains($0) })
            #expect(name.last != "." && name.last != " " && name.first != "." && name.first != " ")
            var stem = name.prefix { $0 != "." }.uppercased()[...]
            while stem.last == " " { stem.removeLast() }
            let devices =
                ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
                + ["COM", "LPT"].flatMap { name in "0123456789¹²³".map { "\(name)\($0)" } }
            #expect(!devices.contains(String(stem)), "\(name)")
            #expect(SafeName.make(name) == name)
        }
    }
}
