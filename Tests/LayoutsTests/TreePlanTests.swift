import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("The plan of a tree")
struct TreePlanTests {
    private static func digest(_ number: Int) throws -> Digest {
        try #require(Digest(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }))
    }

    private func file(_ stem: String, _ digest: Digest) -> TreeFile {
        TreeFile(
            image: StoredImage(
                digest: digest, size: 1, type: .png, validators: Validators(), fetchedAt: Timestamp(microseconds: 0),
                directory: "images"),
            date: Timestamp(microseconds: 0), directory: "a", stem: stem, ending: ".png")
    }

    private func found(_ path: String, _ digest: Digest, isOwn: Bool = true) -> FoundFile {
        FoundFile(
            path: path,
            file: OwnFile(
                content: FileContent(digest: digest, size: 1), modified: FileTime(seconds: 0, nanoseconds: 0)),
            isOwn: isOwn)
    }

    @Test(
        "A path with a number is also a later path of the file without it",
        arguments: [
            ("a/b.png", ["a/b.png"]), ("a/b (2).png", ["a/b (2).png", "a/b.png"]), ("a (2)/b.png", ["a (2)/b.png"]),
            ("b (12).c (3).png", ["b (12).c (3).png", "b (12).c.png"]), ("b (1).png", ["b (1).png"]),
            ("b (02).png", ["b (02).png"]), ("b(2).png", ["b(2).png"]), ("(2).png", ["(2).png"]), ("b", ["b"]),
        ])
    func names(path: String, expected: [String]) {
        #expect(TreeFile.firstPaths(of: path) == expected)
    }

    @Test("A file is matched by its bytes and its name, whatever the number, own files first")
    func matching() throws {
        let (one, two) = (try Self.digest(1), try Self.digest(2))
        var matching = TreeMatching([
            found("a/x (2).png", one), found("a/x.png", two), found("a/x (3).png", two, isOwn: false),
            found("a/y (2).png", one),
        ])
        #expect(matching.take(file("x", two))?.path == "a/x.png")
        #expect(matching.take(file("x", two))?.path == "a/x (3).png")
        #expect(matching.take(file("x", two)) == nil)
        #expect(matching.take(file("x (2)", one))?.path == "a/x (2).png")
        #expect(matching.take(file("x", one)) == nil)
        #expect(matching.rest.map(\.path) == ["a/y (2).png"])
    }

    @Test("The steps of matching grow linearly with the files if all have the same bytes")
    func growth() throws {
        let digest = try Self.digest(7)
        func steps(_ count: Int) -> Int {
            var matching = TreeMatching(
                (0..<count).map { found("a/\($0).png", digest) } + (2..<count).map { found("a/x (\($0)).png", digest) })
            for number in 0..<count { #expect(matching.take(file("\(number)", digest)) != nil) }
            for number in 2..<count {
                #expect(matching.take(file(number % 2 == 0 ? "x" : "x (\(number))", digest)) != nil)
            }
            return matching.steps
        }
        let (few, many) = (steps(500), steps(5000))
        #expect(many <= 11 * few, "\(few) \(many)")
    }

    @Test("Names that differ only in case are distinguished, even from those of files to be deleted")
    func freeNames() throws {
        let digest = try Self.digest(1)
        var free = FreeNames(going: ["a/Dawn.png", "a/Noon.png"])
        free.take("a/DUSK.png")
        #expect(free.path(for: file("Noon", digest)) == "a/Noon.png")
        #expect(free.path(for: file("dawn", digest)) == "a/dawn (2).png")
        #expect(free.path(for: file("dusk", digest)) == "a/dusk (2).png")
        #expect(free.path(for: file("Dusk", digest)) == "a/Dusk (3).png")
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
