import FeedCore
import Glibc
import Hashing
import SystemFiles
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

@Suite("The list of the files in an output directory")
struct OutputListTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let digest = String(repeating: "0f", count: 32)

    private func read(_ text: some Sequence<UInt8>) throws -> OutputList {
        try directory.write(text, to: "list")
        return try OutputListReader.read(try Descriptor.directory(at: directory.path).open("list", O_RDONLY))
    }

    private func read(lines: String...) throws -> OutputList {
        try read(([OutputList.heading] + lines).map { "\($0)\n" }.joined().utf8)
    }

    @Test("A list of own files is the same after it was written and read")
    func again() throws {
        var list = OutputList()
        let content = FileContent(digest: try #require(Digest(hex: Self.digest)), size: 7)
        let time = FileTime(seconds: -5, nanoseconds: 999_999_999)
        for number in 0..<3000 {
            list.entries["a b/\(number) é.jpg"] = .init(
                own: number % 2 == 0 ? OwnFile(content: content, modified: time) : nil,
                planned: number % 3 > 0 ? content : nil)
        }
        list.directories = ["a b", "c"]
        list.part = ".feedsync-1.part"
        list.key = String(repeating: "a", count: 32)
        let feed = FeedTag(bits: .max)
        list.entries["x.png"] = .init(
            own: OwnFile(content: content, modified: time), planned: nil,
            purpose: .image(of: feed, date: Timestamp(microseconds: -1)))
        list.entries["x.png.xmp"] = .init(own: OwnFile(content: content, modified: time), purpose: .sidecar)
        for number in 1...3 { _ = list.memory.number(ofImage: "\(number)", in: feed) }
        list.memory.feeds[feed]?.deletedImages = [content.digest]
        list.memory.feeds[FeedTag(bits: 0), default: .init()].deletedSidecars = [content.digest]
        let file = try Descriptor.directory(at: directory.path).makeFile("list")
        try list.write(to: file, about: "/a\nb")
        let found = try OutputListReader.read(file)
        #expect(found.entries.count == 2502 && found.memory == list.memory)
        for (path, entry) in list.entries where entry.own != nil || entry.planned != nil {
            #expect(found.entries[path]?.own == entry.own && found.entries[path]?.planned == entry.planned)
            #expect(found.entries[path]?.purpose == entry.purpose)
        }
        #expect(found.directories == list.directories && found.part == list.part && found.key == list.key)
    }

    @Test(
        "A malformed line makes the whole list of own files unreadable",
        arguments: [
            "file D 1 1 1 ../a", "file D 1 1 1 a/../../b", "file D 1 1 1 /a", "file D 1 1 1 a//b", "file D 1 1 1 a/",
            "file D 1 1 1 .", "file D 1 1 1 a/./b", "file D 1 1 1 ", "file D 1 1 1", "file D -1 1 1 a",
            "file D 01 1 1 a",
            "file D 1 x 1 a", "file D 99999999999999999999 1 1 a", "file d 1 1 1 a", "file D 1 1 1 a\tb",
            "plan D 1 ../a",
            "plan D a", "image 1 D 1 1 1 a", "image 1 1 D 1 1 1 ../a", "image -1 1 D 1 1 1 a", "sidecar 1 D 1 1 1 a",
            "number 1 1", "deleted D", "feed 1 0", "feed 1", "feed x 1", "directory ..", "directory ", "part a/b",
            "part ..", "key abc", "link a", "", " ", "file",
        ])
    func malformed(line: String) throws {
        let line = line.replacing("D", with: Self.digest)
        let error = #expect(throws: SystemError.self) { try read(lines: "directory a", line) }
        #expect(error?.code == EINVAL && error?.message.contains("line 3 is damaged") == true)
    }

    @Test("A list of own files names a file, a directory, the part and the key only once")
    func twice() throws {
        let file = "file \(Self.digest) 1 1 1 a"
        #expect(try read(lines: file, "plan \(Self.digest) 2 a").entries.count == 1)
        for line in [
            file, "plan \(Self.digest) 1 a", "directory a", "part a", "key \(String(repeating: "a", count: 32))",
        ] {
            #expect(throws: SystemError.self) { try read(lines: line, line) }
        }
    }

    @Test("A list of own files of the first version is read, and has no facts about trees") func olderVersion() throws {
        let lines = ["feedsync output 1", "at /a", "file \(Self.digest) 1 1 1 a b.png", "plan \(Self.digest) 2 c"]
        let list = try read(lines.map { "\($0)\n" }.joined().utf8)
        #expect(list.entries.count == 2 && list.entries["a b.png"]?.purpose == nil)
        #expect(list.memory == TreeMemory())
    }

    @Test("A list of own files has lines about a feed only below that feed, and each number once") func numbers() throws
    {
        let list = try read(lines: "feed 7 3", "number 1 1", "number 2 2", "deleted \(Self.digest)", "feed 8 1")
        #expect(list.memory.feeds.count == 2 && list.memory.feeds[FeedTag(bits: 7)]?.numbers == [1: 1, 2: 2])
        for lines in [["feed 7 1", "feed 7 1"], ["feed 7 1", "number 1 1", "number 1 2"]] {
            #expect(throws: SystemError.self) {
                try read(([OutputList.heading] + lines).map { "\($0)\n" }.joined().utf8)
            }
        }
    }

    @Test("A list of own files that is cut off, has an endless line or has another heading is unreadable")
    func noList() throws {
        for text in ["", "feedsync output 3\n", "feedsync output 1", "feedsync output 1\ndirectory a", "\n"] {
            #expect(throws: SystemError.self) { try read(text.utf8) }
        }
        let endless = Array("feedsync output 1\ndirectory ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(throws: SystemError.self) { try read(endless) }
        let invalid = Array("feedsync output 1\ndirectory ".utf8) + [0xFF, 0x0A]
        #expect(throws: SystemError.self) { try read(invalid) }
    }
}
