import Dispatch
import FeedCore
import Synchronization
import Testing

@testable import CacheArchive

@Suite("A job")
struct JobTests {
    @Test("is done once, whoever comes first, and all who ask get what came of it") func once() {
        let count = Atomic(0)
        let jobs = (0..<100).map { number in
            Job {
                count.wrappingAdd(1, ordering: .relaxed)
                return number
            }
        }
        let found = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for job in jobs {
                job.perform()
                let outcome = Result { () throws(FeedError) in try job.outcome() }
                if case .success(let number) = outcome { found.withLock { $0.append(number) } }
            }
        }
        #expect(count.load(ordering: .relaxed) == 100)
        #expect(found.withLock { $0.sorted() } == (0..<400).map { $0 / 4 })
    }

    @Test("that failed tells everyone why") func failure() {
        let job = Job<Int> { () throws(FeedError) in throw .invalidData("no") }
        job.finish()
        for _ in 1...2 { #expect(throws: FeedError.invalidData("no")) { try job.outcome() } }
    }

    @Test("lets go of what it needed when it is done") func release() {
        final class Needed: Sendable {}
        weak var needed: Needed?
        let job: Job<Void>
        do {
            let strong = Needed()
            needed = strong
            job = Job { withExtendedLifetime(strong) {} }
        }
        #expect(needed != nil && !job.isDone)
        job.perform()
        #expect(needed == nil && job.isDone)
    }
}
