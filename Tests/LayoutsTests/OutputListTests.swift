import FeedCore
import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Layouts

@Suite("The list of the files in an output directory")
struct OutputListTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let digest = String(repeating: "0f", count: 32)

    private func read(_ text: some Sequence<UInt8>) throws -> OutputList {
        try directory.write(text, to: "list")
        return try OutputList(from: try Descriptor.directory(at: directory.path).open("list", O_RDONLY))
    }

    private func read(lines: String...) throws -> OutputList {
        try read((["feedsync output 1"] + lines).map { "\($0)\n" }.joined().utf8)
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
        let file = try Descriptor.directory(at: directory.path).makeFile("list")
        try list.write(to: file, about: "/a\nb")
        let found = try OutputList(from: file)
        #expect(found.entries.count == 2500)
        for (path, entry) in list.entries where entry.own != nil || entry.planned != nil {
            #expect(found.entries[path]?.own == entry.own && found.entries[path]?.planned == entry.planned)
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
            "plan D a", "directory ..", "directory ", "part a/b", "part ..", "key abc", "link a", "", " ", "file",
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

    @Test("A list of own files that is cut off, has an endless line or has another heading is unreadable")
    func noList() throws {
        for text in ["", "feedsync output 2\n", "feedsync output 1", "feedsync output 1\ndirectory a", "\n"] {
            #expect(throws: SystemError.self) { try read(text.utf8) }
        }
        let endless = Array("feedsync output 1\ndirectory ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(throws: SystemError.self) { try read(endless) }
        let invalid = Array("feedsync output 1\ndirectory ".utf8) + [0xFF, 0x0A]
        #expect(throws: SystemError.self) { try read(invalid) }
    }
}
