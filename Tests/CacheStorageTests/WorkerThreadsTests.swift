import Glibc
import Synchronization
import Testing

@testable import CacheStorage

@Suite("A crew of threads")
struct CrewTests {
    /// Whether so many jobs are under way at once. Else it would take for ever: it is given up long after.
    private func meet(_ count: Int, _ arrived: borrowing Atomic<Int>) -> Bool {
        arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let end = ContinuousClock.now + .seconds(300)
        while arrived.load(ordering: .sequentiallyConsistent) < count {
            if ContinuousClock.now > end { return false }
            sched_yield()
        }
        return true
    }

    @Test("does every job once", arguments: [0, 1, 2, 11, 12, 13, 1000], [1, 2, 12])
    func everyJobOnce(_ jobs: Int, _ workers: Int) {
        let done = Mutex([Int](repeating: 0, count: jobs))
        WorkerThreads.share(jobs, among: workers) { job in done.withLock { $0[job] += 1 } }
        WorkerThreads.shareWaiting(jobs, among: workers) { job in done.withLock { $0[job] += 1 } }
        #expect(done.withLock { $0 } == [Int](repeating: 2, count: jobs))
    }

    @Test("is called once a job has had to wait")
    func joining() {
        // One that is interrupted while it waits isn't counted: the next is.
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

    @Test("works side by side")
    func sideBySide() {
        // Each job waits for the other: one thread alone would never get past the first.
        let arrived = Atomic<Int>(0)
        WorkerThreads.share(2, among: 2) { _ in
            let hasMet = meet(2, arrived)
            #expect(hasMet)
        }
    }
}
