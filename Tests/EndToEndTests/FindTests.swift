import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Find, from outside", .timeLimit(.minutes(10)))
struct FindTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    private func serve(_ texts: [String]) {
        let items = texts.enumerated().map { number, text in
            #"{"id":"\#(FeedServer.id(number))",\#(text),"image":"\#(server.imageURL(number))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
    }

    /// Gives the images dates, so that the first image of the feed is the oldest.
    private func setDates() async throws {
        try await program.sql(
            "UPDATE data SET fetched_at = 1795162500000001 + (SELECT position FROM items WHERE items.url = data.url)"
        )
    }

    @Test("find prints a line of four fields for each match, newest first") func text() async throws {
        serve([
            #""description":"A boat","location":"Zürich""#, #""description":"boat\tand\nbridge""#, #""location":"x""#,
        ])
        try await program.run(server.feedURL)
        try await setDates()

        let found = try await program.run("find", "BOAT")

        func path(_ number: Int) async throws -> String {
            "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(number)))"
        }
        let second = "2026-11-20T08:15:00.000002Z\t\(server.feedURL)\tboat\\u{9}and\\u{A}bridge\t\(try await path(1))\n"
        let first = "2026-11-20T08:15:00.000001Z\t\(server.feedURL)\tA boat\t\(try await path(0))\n"
        #expect(found.status == .exited(0) && found.errorText == "")
        #expect(found.outputText == second + first)
        #expect(try await program.run("find", "boat", "zurich").outputText == first)
        #expect(try await program.run("find", "--limit", "1").outputText.hasSuffix("\t\t\(try await path(2))\n"))
        try await program.sql("UPDATE feeds SET title = 'Boats'")
        #expect(try await program.run("find", "a boat").outputText.contains("\tBoats\tA boat\t"))
    }

    @Test("find exits with 1 and prints nothing if nothing matches, and with 66 for a feed that was never saved")
    func nothing() async throws {
        try await program.run(server.feedURL)
        for arguments in [["submarine"], ["--since", "1s", "--feed", server.feedURL]] {
            try await program.sql("UPDATE data SET fetched_at = 1")
            let found = try await program.run(["find"] + arguments)
            #expect(found.status == .exited(1) && found.outputText == "" && found.errorText == "")
        }
        let unknown = "http://nowhere.example/feed"
        expectOneLine(try await program.run("find", "--feed", unknown, "x"), exit: 66, [unknown, "was never saved"])
        expectOneLine(try await program.run("find", ""), exit: 64, ["an operand is empty"])
    }

    @Test("find --json prints the members of an image, its feed, and an absolute path") func json() async throws {
        serve([#""description":"A boat""#])
        try await program.run(server.feedURL)
        try await program.sayMore()

        let found = try await program.run("find", "--json", "--since", "1h", "day", "boat")

        let shown = try await program.run("show", "--json", "--offline", server.feedURL).json["images"]?[0]
        guard case .object(var members)? = shown else { throw SystemFailure.last("show") }
        let path = try #require(members.firstIndex { $0.0 == "path" })
        members[path].1 = .string("\(program.cache)/\(members[path].1.string ?? "")")
        #expect(found.outputLines.count == 1)
        #expect(try found.json == .object([("feed", .string(server.feedURL)), ("feed_title", .null)] + members))
        #expect(Files.exists(members[path].1.string ?? ""))
    }

    @Test("a relative cache gives absolute paths") func relative() async throws {
        try await program.run(server.feedURL)
        let found = try await program.shell(#"cd "$1" && "$feedsync" find --cache cache"#, program.directory.path)
        #expect(found.outputLines.count == 3)
        #expect(found.outputLines.allSatisfy { $0.contains("\t\(program.cache)/images/sha256/") })
    }

    @Test("neither --revalidate nor a 304 changes the date of an image") func dates() async throws {
        try await program.run(server.feedURL)
        try await setDates()
        let before = try await program.run("find").outputText
        try await program.run("--revalidate", server.feedURL)
        #expect(try await program.run("find").outputText == before)
    }
}
