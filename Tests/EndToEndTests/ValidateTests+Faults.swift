import JSONText
import TestSupport
import Testing

extension ValidateTests {
    @Test("validate reports its deletions before the failure that stopped it")
    func failing() async throws {
        try await program.run(server.feedURL)
        try await program.sql("DELETE FROM items")
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o "$1" -e trace=unlinkat -e inject=unlinkat:error=EIO:when=3 \
                "$feedsync" validate --json
            """#, program.directory.path("trace"))
        #expect(result.status == .exited(74))
        #expect(result.errorText.contains("Input/output error"))
        #expect(try result.json["images_deleted"]?.int == 2)
        let gone = try #require(try result.json["bytes_freed"]?.int)
        let left = Files.names(in: program.imageDirectory).map { Files.size("\(program.imageDirectory)/\($0)") }
        let all = (0..<3).reduce(0) { $0 + FeedServer.image($1).count }
        #expect(left.count == 1 && gone == all - left.reduce(0, +))
        expectOneLine(try await program.run("validate"), exit: 0, ["deleted 0 feeds and 1 image,"])
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test(
        "validate leaves everything as it was if the database is unreadable for a moment",
        arguments: ["pread64", "fcntl"])
    func failingRead(_ call: String) async throws {
        try await program.run(server.feedURL)
        let saved = try await program.saved(server.feedURL)
        // One read after another fails, until all of them have failed once.
        for number in 1...60 {
            let result = try await program.shell(
                #"""
                exec strace -f -qq -o "$1" -P "$FEEDSYNC_CACHE/feedsync.sqlite" -e "trace=$2" \
                    -e "inject=$2:error=EIO:when=$3" "$feedsync" validate --json
                """#, program.directory.path("trace"), call, "\(number)")
            let expected: [ProcessResult.Status] = [.exited(0), .exited(74)]
            #expect(expected.contains(result.status), "\(number): \(result.errorText)")
            #expect(!Files.names(in: program.cache).contains { $0.contains("unreadable") }, "\(result.errorText)")
            #expect(try await program.saved(server.feedURL) == saved, "\(number): \(result.errorText)")
            #expect(Files.names(in: program.imageDirectory).count == 3)
            let trace = String(decoding: try Files.bytes(program.directory.path("trace")), as: UTF8.self)
            if !trace.contains("INJECTED") { break }
        }
    }

    /// Validates a cache with a stale feed while the database's log can't be written.
    private func validateStale(failingWith error: String) async throws -> ProcessResult {
        try await program.run(server.feedURL)
        try await program.makeStale()
        return try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -P "$FEEDSYNC_CACHE/feedsync.sqlite-wal" -e "inject=pwrite64:error=$1" \
                "$feedsync" validate --json
            """#, error)
    }

    @Test("validate keeps the images of a feed that it can't delete")
    func failingWrite() async throws {
        let result = try await validateStale(failingWith: "EIO")
        #expect(result.status == .exited(74))
        #expect(try result.json == report())
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
        #expect(try await program.run("validate", "--json").json["images_deleted"]?.int == 3)
    }

    @Test(
        "validate deletes nothing if the disk or a quota is too full to delete rows first",
        arguments: ["ENOSPC", "EDQUOT"])
    func noRoomForRows(error: String) async throws {
        let result = try await validateStale(failingWith: error)
        #expect(result.status == .exited(74))
        #expect(try result.json == report())
        #expect(result.errorText.contains("some space is needed first"))
        #expect(Files.names(in: program.imageDirectory).count == 3)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
        let later = try await program.run("validate", "--json")
        #expect(try later.json["feeds_deleted"]?.array?.count == 1)
        #expect(try later.json["images_deleted"]?.int == 3)
    }
}
