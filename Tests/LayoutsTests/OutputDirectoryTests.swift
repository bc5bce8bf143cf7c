import FeedCore
import Glibc
import Hashing
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("An output directory")
struct OutputDirectoryTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func open(replacesForeign: Bool = false) throws(FeedError) -> OutputDirectory {
        try OutputDirectory(
            OutputTarget(path: temporary.path("site"), cache: temporary.path("cache")), layout: "gallery",
            replacesForeign: replacesForeign)
    }

    private func content(_ text: String) throws(FeedError) -> FileContent {
        FileContent(digest: try SHA256.digest(of: text), size: Int64(text.utf8.count))
    }

    private func put(_ path: String, _ text: String, in directory: OutputDirectory, isReplacing: Bool = false) throws
        -> Bool
    {
        let content = try content(text)
        try directory.announce([(path, content)])
        return try directory.put(path, Array(text.utf8), content, isReplacing: isReplacing)
    }

    private func isOwn(_ path: String, in directory: OutputDirectory) throws -> Bool {
        if case .own = try directory.state(of: path) { true } else { false }
    }

    @Test("A file that another program creates at the last moment is neither overwritten nor deleted")
    func lastMoment() throws {
        do {
            let directory = try open()
            let content = try content("mine")
            try directory.announce([("a/b", content)])
            let isPut = try directory.put("a/b", content, isReplacing: false) { path throws(FeedError) in
                do {
                    try temporary.write("mine", to: String(path.dropFirst(temporary.path.count + 1)))
                    try temporary.makeDirectory("site/a")
                    try temporary.write("theirs", to: "site/a/b")
                } catch {
                    throw .storage(.failed, "\(error)")
                }
                return nil
            }
            #expect(!isPut)
            try directory.finish()
        }
        #expect(try temporary.read("site/a/b") == Array("theirs".utf8))
        #expect(TemporaryDirectory.names(in: temporary.path("site")) == ["a"])
        #expect(try open().list.entries.isEmpty)
    }

    @Test("A file that another program changes at the last moment is not replaced")
    func changedMeanwhile() throws {
        var directory: OutputDirectory? = try open()
        #expect(try put("a", "one", in: #require(directory)))
        try directory?.finish()
        directory = nil
        let next = try open()
        #expect(try isOwn("a", in: next))
        try temporary.write("theirs", to: "site/a")
        let error = #expect(throws: FeedError.self) { try put("a", "two", in: next, isReplacing: true) }
        #expect(error?.kind == .storage(.cannotCreate))
        try next.finish()
        #expect(try temporary.read("site/a") == Array("theirs".utf8))
    }

    @Test("The next run deletes a killed run's file under its hidden name, and no other file with such a name")
    func leftovers() throws {
        var part = ""
        do {
            let directory = try open()
            try directory.announce([("a", try content("a"))])
            part = try #require(directory.list.part)
            try temporary.write("half", to: "site/\(part)")
            try temporary.write("mine", to: "site/.feedsync-2.part")
        }
        try open().finish()
        #expect(part.hasPrefix(".feedsync-") && part.hasSuffix(".part"))
        #expect(TemporaryDirectory.names(in: temporary.path("site")) == [".feedsync-2.part"])
    }

    @Test("A directory that a run made is deleted when it is empty, and stays while it has foreign files")
    func directories() throws {
        do {
            let directory = try open()
            #expect(try put("a/b/c", "c", in: directory) && put("d", "d", in: directory))
            try directory.finish()
        }
        try temporary.write("mine", to: "site/a/b/mine")
        try open().finish()
        #expect(TemporaryDirectory.names(in: temporary.path("site")) == ["a"])
        unlink(temporary.path("site/a/b/mine"))
        try open().finish()
        #expect(TemporaryDirectory.names(in: temporary.path("site")) == [])
    }

    @Test("A file of the wanted size is not adopted if it is unreadable or not regular")
    func unreadable() throws {
        try temporary.makeDirectory("site")
        mkfifo(temporary.path("site/fifo"), 0o666)
        symlink("fifo", temporary.path("site/link"))
        let directory = try open()
        for name in ["fifo", "link"] {
            let finding = try directory.examine(name, size: 0) { () throws(FeedError) in try SHA256.digest(of: "") }
            if case .foreign(.special, name) = finding { continue }
            Issue.record("\(name): \(finding)")
        }
    }
}
