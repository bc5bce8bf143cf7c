import JSONText
import TestSupport
import Testing

@Suite("The JSON of export and import", .timeLimit(.minutes(10)))
struct ArchiveJSONTests {
    private let program: Program
    private let server: FeedServer
    private let archive: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
        server.serve(Reply(404), at: 2)
        archive = program.directory.path("a.tar.gz")
    }

    @Test("export --json gives the size of the file and counts each image file once") func export() async throws {
        server.serve(feedOf: [0, 1, 0, 2].map(server.imageURL))
        try await program.run(server.feedURL)
        let exported = try await program.run("export", "--json", archive)
        #expect(exported.errorText == "")
        #expect(
            try exported.json == [
                "file": .string(archive), "feeds": 1, "images": 2, "bytes": .integer(Files.size(archive)),
            ])
    }

    @Test("export --json to standard output is wrong usage, and a variable for --json is ignored there")
    func standardOutput() async throws {
        try await program.run(server.feedURL)
        expectOneLine(try await program.run("export", "--json", "-"), exit: 64, ["--json"])
        expectOneLine(try await program.run("export", "-", server.feedURL, "--json"), exit: 64, ["--json"])
        let plain = try await program.run("export", "-")
        let other = try await program.run("export", "-", environment: ["FEEDSYNC_JSON": "true"])
        #expect(other.status == .exited(0) && other.standardOutput == plain.standardOutput)
    }

    private func result(
        _ file: String, added: Int = 0, replaced: Int = 0, kept: Int = 0, images: Int = 0, missing: Int = 0,
        error: JSONValue = .null
    ) -> JSONValue {
        [
            "file": .string(file), "feeds_added": .integer(added), "feeds_replaced": .integer(replaced),
            "feeds_kept": .integer(kept), "images_added": .integer(images), "images_missing": .integer(missing),
            "error": error,
        ]
    }

    @Test("import --json gives the counts of each archive, and the error of one that is refused")
    func imported() async throws {
        try await program.run(server.feedURL)
        try await program.run("export", archive)
        let other = try Program()

        let first = try await other.run("import", "--restore", "--json", archive)
        #expect(try first.json == ["archives": [result(archive, added: 1, images: 2, missing: 1)]])
        #expect(first.status == .exited(0))

        let broken = try other.directory.write("no archive", to: "broken.tar")
        let second = try await other.run("import", "--restore", "--json", broken, archive)
        let archives = try #require(try second.json["archives"])
        #expect(second.status == .exited(65) && second.errorLines.count == 1)
        #expect(archives[1] == result(archive, kept: 1))
        #expect(archives[0]?["error"]?["kind"] == "invalidData")
        #expect(archives[0] == result(broken, error: archives[0]?["error"] ?? .null))

        try await other.sql("UPDATE feeds SET saved_at = 1")
        let third = try await other.run("import", "--restore", "--json", archive)
        #expect(try third.json == ["archives": [result(archive, replaced: 1, missing: 1)]])

        let alone = try await other.run("import", "--restore", "--json", broken)
        #expect(alone.status == .exited(65) && alone.errorLines.count == 1)
        #expect(try alone.json["archives"]?.array?.count == 1)
    }
}
