import TestSupport
import Testing

@Suite("The data of removed images, from outside", .timeLimit(.minutes(10)))
struct RemovedDataTests {
    private let program: Program
    private let server: FeedServer

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
    }

    @Test("An import that removes an image deletes its data", arguments: [true, false])
    func imported(isInFeed: Bool) async throws {
        let other = try Program()
        try await other.run(server.feedURL)
        try await other.run("remove", server.imageURL(2))
        let archive = other.directory.path("cache.tar")
        expectQuiet(try await other.run("export", archive))
        if !isInFeed {
            server.serve(images: [0, 1])
            expectQuiet(try await program.run(server.feedURL))
        }
        expectQuiet(try await program.run("import", "--restore", archive))
        #expect(try await program.run("image", "--offline", server.imageURL(2)).status == .exited(66))
        #expect(try await program.run("image", "--offline", server.imageURL(1)).status == .exited(0))
        #expect(try await program.run("validate").status == .exited(0))
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("The data of an image that another feed contains stays when an import removes the image from one feed")
    func shared() async throws {
        let other = try FeedServer(images: 0)
        other.serve(feedOf: [server.imageURL(2)])
        let source = try Program()
        try await source.run(server.feedURL)
        try await source.run("remove", server.imageURL(2))
        let archive = source.directory.path("cache.tar")
        expectQuiet(try await source.run("export", archive))
        expectQuiet(try await program.run(other.feedURL))
        expectQuiet(try await program.run("import", "--restore", archive))
        #expect(try await program.run("image", "--offline", server.imageURL(2)).status == .exited(0))
        #expect(try await program.status()["feeds"]?.array?.map { $0["images_cached"]?.int }.contains(1) == true)
    }

    @Test("A removal that is killed at any moment leaves the whole image or nothing of it")
    func killed() async throws {
        let copy = ["--cache", program.directory.path("copy")]
        var time = 0
        var isKilled = true
        while isKilled, time < 60 {
            time += 1
            let result = try await program.shell(
                #"""
                rm -rf "$2"; cp -a "$FEEDSYNC_CACHE" "$2"
                strace -f -qq -o /dev/null -e trace=fdatasync,unlinkat -e "inject=fdatasync,unlinkat:signal=KILL:when=$1" \
                    "$feedsync" --cache "$2" remove "$3"
                """#, [String(time), program.directory.path("copy"), server.imageURL(1)])
            isKilled = result.status != .exited(0)
            let shown = try await program.run(["show", "--offline", "--json", server.feedURL] + copy).json["images"]
            let delivered = try await program.run(["image", "--offline", server.imageURL(1)] + copy).status
            #expect(delivered == .exited(shown?.array?.count == 3 ? 0 : 66), "\(time)")
        }
        #expect(time > 1)
    }
}
