import JSONText
import TestSupport
import Testing

@Suite("A cache of 0.1.0, from outside", .timeLimit(.minutes(10)))
struct VersionOneCacheTests {
    private static let feed = "https://feeds.example/feed.json"

    private let program: Program

    init() throws { program = try Program() }

    private func makeCache() async throws {
        let result = try await program.shell(
            #"""
            rm -rf "$FEEDSYNC_CACHE"; mkdir -p -m 700 "$FEEDSYNC_CACHE/images/sha256" "$FEEDSYNC_CACHE/incoming" &&
                sqlite3 "$FEEDSYNC_CACHE/feedsync.sqlite" <"$1" >/dev/null && cd "$FEEDSYNC_CACHE/images/sha256" &&
                printf picture >picture && mv picture "$(sha256sum picture | cut -c1-64)"
            """#, "\(Fixtures.directory)/caches/version-1.sql")
        expectQuiet(result)
    }

    @Test(
        "A cache of 0.1.0 is complete when the migrating run is killed at any moment",
        arguments: ["pwrite64", "fdatasync", "ftruncate", "unlink"])
    func killed(call: String) async throws {
        try await makeCache()
        let before = try await program.saved(Self.feed)
        var versions: Set<String> = []
        var time = 0
        var isKilled = true
        while isKilled {
            time += 1
            try await makeCache()
            let result = try await program.shell(
                #"""
                strace -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" \
                    "$feedsync" validate --max-age forever
                """#, [call, String(time)])
            isKilled = result.status != .exited(0)
            #expect(try await program.saved(Self.feed) == before, "\(time)")
            versions.insert(try await program.sql("PRAGMA user_version"))
            #expect(try await program.run("validate", "--max-age", "forever").status == .exited(0))
            #expect(try await program.saved(Self.feed) == before, "\(time)")
            #expect(Files.names(in: program.imageDirectory).count == 1, "\(time)")
        }
        #expect(time > 1)
        // The cache has the old schema or the new one, and nothing in between.
        #expect(versions.count <= 2)
    }
}
