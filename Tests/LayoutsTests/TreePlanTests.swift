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
