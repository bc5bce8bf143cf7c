import JSONText
import TestSupport
import Testing

@Suite("Logs for programs", .timeLimit(.minutes(10)))
struct LogFormatTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    private func entries(_ result: ProcessResult) throws -> [JSONValue] {
        try result.errorLines.map { try JSONValue.parse(Array($0.utf8)) }
    }

    @Test("Each JSON log line is an object with time, level, event, message and fields")
    func lines() async throws {
        server.serve(Reply(404), at: 1)
        let result = try await program.run("-v", "--log-format", "json", server.feedURL)
        #expect(result.status == .exited(23))
        let entries = try entries(result)
        for entry in entries {
            guard case .object(let members) = entry else {
                Issue.record("\(entry)")
                continue
            }
            #expect(members.map(\.0) == ["time", "level", "event", "message", "fields"])
            #expect(entry["time"]?.string?.wholeMatch(of: #/2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/#) != nil)
            #expect(["error", "warning", "info", "debug"].contains(entry["level"]?.string))
        }
        let events = entries.compactMap { $0["event"]?.string }
        for event in ["feed_step", "feed_updated", "images_found", "image_downloaded", "image_failed", "summary"] {
            #expect(events.contains(event), "\(events)")
        }
        let failure = try #require(entries.first { $0["event"]?.string == "image_failed" })
        #expect(failure["level"]?.string == "error")
        #expect(failure["fields"]?["url"]?.string == server.imageURL(1))
        #expect(failure["fields"]?["status"]?.int == 404)
        #expect(failure["fields"]?["kind"]?.string == "invalidData")
        #expect(failure["fields"]?["count"]?.int == 1)
        let summary = try #require(entries.last)
        #expect(summary["event"]?.string == "summary")
        #expect(summary["fields"]?["images"]?["downloaded"]?.int == 2)
    }

    @Test("Each cause of a failure names its host with the port, since two ports are two servers")
    func hosts() async throws {
        let other = try FeedServer(images: 1)
        server.serve(feedOf: [server.imageURL(0), other.imageURL(0)])
        for server in [server, other] { server.serve(Reply(404), at: 0) }
        let failures = try entries(try await program.run("--log-format", "json", server.feedURL))
            .filter { $0["event"]?.string == "image_failed" }
        #expect(failures.map { $0["fields"]?["host"]?.string } == [server.authority, other.authority])
    }

    @Test("Each command that has done something ends with a log line of its figures")
    func figures() async throws {
        try await program.run(server.feedURL)
        let (archive, gallery) = (program.directory.path("all.tar"), program.directory.path("gallery"))
        func summary(_ arguments: String...) async throws -> JSONValue {
            let result = try await program.run(arguments + ["-v", "--log-format", "json"])
            #expect(result.status == .exited(0))
            let line = try #require(try entries(result).last)
            #expect(line["event"]?.string == "summary" && line["level"]?.string == "info")
            return try #require(line["fields"])
        }
        let exported = try await summary("export", archive)
        #expect(exported["feeds"]?.int == 1 && exported["images"]?.int == 3)
        #expect(exported["bytes"]?.int ?? 0 > 0)
        let imported = try await summary("import", "--restore", archive, "--cache", program.directory.path("other"))
        #expect(imported["feeds"]?.int == 1 && imported["images_added"]?.int == 3)
        #expect(imported["feeds_added"]?.int == 1 && imported["feeds_kept"]?.int == 0)
        let drawn = try await summary("gallery", gallery)
        #expect(drawn["dir"]?.string == gallery && drawn["images"]?.int == 3)
        let validated = try await summary("validate", "--max-age", "0s")
        #expect(validated["feeds_deleted"]?.array?.count == 1 && validated["images_deleted"]?.int == 3)
    }

    @Test("A successful run logs nothing in JSON either")
    func quiet() async throws {
        expectQuiet(try await program.run("--log-format", "json", server.feedURL))
    }

    @Test("Errors of usage and configuration are JSON objects too")
    func mistakes() async throws {
        let unknown = try await program.run("--log-format=json", "--nonsense")
        #expect(unknown.status == .exited(64))
        #expect(try entries(unknown).map { $0["event"]?.string } == ["usage"])
        for text in [["--log-format=json", "--log-format", "text", "--nonsense"], ["a", "--", "--log-format=json"]] {
            #expect(try await program.run(text).errorText.hasPrefix("feedsync: "))
        }
        let config = try program.directory.write("log-format = json\n", to: "config")
        let missing = try await program.run("show", "--offline", server.feedURL, "--config", config)
        #expect(missing.status == .exited(66))
        #expect(try entries(missing).map { $0["fields"]?["kind"]?.string } == ["notFound"])
        let wrong = try await program.run("status", environment: ["FEEDSYNC_LOG_FORMAT": "json", "FEEDSYNC_JOBS": "x"])
        #expect(try entries(wrong).map { $0["event"]?.string } == ["configuration"])
    }

    @Test("No credentials appear in JSON logs")
    func credentials() async throws {
        server.serve(Reply(404), at: 1)
        let secret = server.feedURL.replacing("http://", with: "http://me:s3cret@")
        let result = try await program.run("-v", "--log-format", "json", "-H", "X-Key: s3cret", secret)
        #expect(result.status == .exited(23))
        #expect(!result.errorText.contains("s3cret"))
    }
}
