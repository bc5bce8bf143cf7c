import FeedCore
import Testing

@Suite("Paths")
struct FilePathTests {
    @Test(
        "are made of names, whatever their letters combine with",
        arguments: [
            ("/a/b", ["a", "b"], "/a"), ("a/b/", ["a", "b"], "a/b"), ("//a//b", ["a", "b"], "//a/"), ("a", ["a"], nil),
            ("/a", ["a"], "/"), ("", [], nil), ("/", [], "/"), ("a/\u{301}b/c", ["a", "\u{301}b", "c"], "a/\u{301}b"),
            ("/\u{301}b", ["\u{301}b"], "/"),
        ] as [(String, [Substring], String?)])
    func parts(path: String, names: [Substring], directory: String?) {
        #expect(FilePath.names(in: path) == names)
        #expect(FilePath.directory(of: path) == directory)
    }

    @Test("are led to step by step")
    func steps() {
        #expect(FilePath.steps(to: "/a//\u{301}b/c/") == ["/a", "/a//\u{301}b", "/a//\u{301}b/c"])
        #expect(FilePath.steps(to: "a/b") == ["a", "a/b"])
        #expect(FilePath.steps(to: "/") == [])
    }

    @Test("relative paths begin in a directory")
    func absolute() {
        #expect(FilePath.absolute("a", in: "/b") == "/b/a")
        #expect(FilePath.absolute("/\u{301}a", in: "/b") == "/\u{301}a")
    }
}
