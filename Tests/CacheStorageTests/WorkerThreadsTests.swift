import Glibc
import Synchronization
import Testing

@testable import CacheStorage

@Suite("Worker threads")
struct WorkerThreadsTests {
    /// Waits until `count` jobs run at once.
    ///
    /// Returns false after a long timeout.
    private func meet(_ count: Int, _ arrived: borrowing Atomic<Int>) -> Bool {
        arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let end = ContinuousClock.now + .seconds(300)
        while arrived.load(ordering: .sequentiallyConsistent) < count {
            if ContinuousClock.now > end { return false }
            sched_yield()
        }
        return true
    }

    @Test(
        "a list of jobs that several threads share is done once each", arguments: [0, 1, 2, 11, 12, 13, 1000],
        [1, 2, 12])
    func everyJobOnce(_ jobs: Int, _ workers: Int) {
        let done = Mutex([Int](repeating: 0, count: jobs))
        WorkerThreads.share(jobs, among: workers) { job in done.withLock { $0[job] += 1 } }
        WorkerThreads.shareWaiting(jobs, among: workers) { job in done.withLock { $0[job] += 1 } }
        #expect(done.withLock { $0 } == [Int](repeating: 2, count: jobs))
    }

    @Test("further threads start after a job that has waited")
    func joining() {
        // A job that is interrupted while it waits is skipped; the next one counts.
        let underWay = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        WorkerThreads.shareWaiting(1000, among: 2) { _ in
            guard most.load(ordering: .relaxed) < 2 else { return }
            let count = underWay.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
            most.max(count, ordering: .sequentiallyConsistent)
            usleep(1000)
            underWay.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
        #expect(most.load(ordering: .relaxed) == 2)
    }

    @Test("two threads work on a list of jobs in parallel")
    func sideBySide() {
        // Each job waits for the other one, so that a single thread would stay in the first job forever.
        let arrived = Atomic<Int>(0)
        WorkerThreads.share(2, among: 2) { _ in
            let hasMet = meet(2, arrived)
            #expect(hasMet)
        }
    }
}
