import JSONText
import TestSupport
import Testing

@Suite("Sync, from outside")
struct SyncTests {
    private let program: Program

    init() throws { program = try Program() }

    @Test("a run that succeeds saves the feed and its images, and prints nothing")
    func happy() async throws {
        let server = try FeedServer(images: 3)
        let result = try await program.run(server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText == "")
        #expect(result.errorText == "")
        let status = try await program.run("status", "--json").json
        #expect(status["feeds"]?[0]?["url"]?.string == server.feedURL)
        #expect(status["feeds"]?[0]?["images_cached"]?.int == 3)
        #expect(status["images"]?["count"]?.int == 3)
    }
}
