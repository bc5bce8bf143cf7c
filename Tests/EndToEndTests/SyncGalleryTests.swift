import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Sync with a gallery, from outside", .timeLimit(.minutes(10)))
struct SyncGalleryTests {
    private let program: Program
    private let server: FeedServer
    private let site: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        site = program.directory.path("site")
    }

    @Test("A sync renews the gallery at its end from everything in the cache") func renewed() async throws {
        let other = try FeedServer(images: 1)
        try await program.run(other.feedURL)
        expectQuiet(try await program.run("--gallery", site, server.feedURL))
        #expect(Files.names(in: site).filter { $0.hasSuffix(".html") }.count == 4)
        // The gallery contains the images of this run.
        let digest = try await program.digest(of: server.imageURL(1))
        #expect(Files.exists("\(site)/images/\(digest).png"))
    }

    @Test("A sync renews the gallery even if images or the feed failed") func failing() async throws {
        server.serve(Reply(404), at: 1)
        #expect(try await program.run("--gallery", site, server.feedURL).status == .exited(23))
        #expect(Files.names(in: "\(site)/images").count == 1)
        server.serve(feed: "<html>")
        unlink("\(site)/style.css")
        #expect(try await program.run("--gallery", site, server.feedURL).status == .exited(65))
        #expect(Files.exists("\(site)/style.css"))
    }

    @Test("A gallery that can't be written is reported and gives the exit code if nothing is worse") func refused()
        async throws
    {
        let file = try program.directory.write("mine", to: "file")
        server.serve(Reply(404), at: 1)
        let result = try await program.run("--gallery", file, "--json", server.feedURL)
        #expect(result.status == .exited(73))
        #expect(result.errorText.contains(file))
        #expect(try result.json["images"]?["downloaded"]?.int == 1)
        server.serve(feed: "<html>")
        #expect(try await program.run("--gallery", file, server.feedURL).status == .exited(65))
    }

    @Test("A dry run of sync only mentions the gallery") func dryRun() async throws {
        let result = try await program.run("-n", "--gallery", site, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText.contains("would write the gallery \(site)"))
        #expect(!Files.exists(site))
    }
}
