import Glibc
import TestSupport
import Testing

/// Durability when something is wrong already.
extension DurabilityTests {
    @Test("A damaged database is set aside before its log, and both are on disk before a new one starts")
    func settingAside() async throws {
        try program.directory.makeDirectory("cache")
        let name = "feedsync.sqlite"
        let companions = ["\(name)-wal", "\(name)-shm"]
        for name in [name] + companions {
            try program.directory.write([UInt8](repeating: 7, count: 8192), to: "cache/\(name)")
        }
        let (result, trace) = try await program.trace("validate")
        expectOneLine(result, exit: 0, ["set aside"])
        let database = try #require(trace.successes(Self.renames, name).first)
        let creation = try #require(
            trace.successes(["openat"], name).first { database.isDone(before: $0) && $0.arguments.contains("O_CREAT") })
        for companion in companions {
            let renaming = try #require(trace.successes(Self.renames, companion).first)
            #expect(database.isDone(before: renaming))
            #expect(trace.syncs(".").contains { renaming.isDone(before: $0) && $0.isDone(before: creation) })
        }
    }

    @Test("Nothing is committed if the directory of images can't be synchronised", arguments: ["sync", "import"])
    func directoryFails(command: String) async throws {
        let archive = try await export()
        let file = try await file(of: 0, in: program)
        unlink("\(program.cache)/\(file)")
        try await program.sql("DELETE FROM data WHERE url = '\(server.imageURL(0))'")
        let left = try await program.sql("SELECT url, digest FROM data")

        let result = try await program.shell(
            #"""
            directory=$FEEDSYNC_CACHE/images/sha256; trace=$1; shift
            exec strace -f -qq -o "$trace" -P "$directory" -e trace=fsync -e inject=fsync:error=EIO "$feedsync" "$@"
            """#, [program.directory.path("trace")] + words(command, archive))

        #expect(result.status == .exited(74), "\(result.errorText)")
        #expect(result.errorText.contains("images/sha256: can't be written to disk"), "\(result.errorText)")
        #expect(try await program.sql("SELECT url, digest FROM data") == left)
        // The space of the file is free for others.
        #expect(!Files.exists("\(program.cache)/\(file)"))
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }
}
