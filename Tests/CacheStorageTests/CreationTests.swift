import CacheStorage
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("A cache that is just being created", .timeLimit(.minutes(10)))
struct CreationTests {
    @Test("a cache that is being created can be read at every moment, as empty or as complete")
    func reading() async throws {
        for _ in 0..<100 {
            let scratch = try ScratchCache()
            let created = Tally()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    let cache = try await scratch.open()
                    created.add(1)
                    await cache.close()
                }
                for _ in 0..<3 {
                    group.addTask {
                        while created.count == 0 {
                            let cache = try await scratch.open(.read)
                            #expect(try await cache.feeds.summaries().isEmpty)
                            await cache.close()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
