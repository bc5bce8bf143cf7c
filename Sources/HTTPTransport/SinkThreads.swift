import Dispatch
import FeedCore
import Glibc
import Synchronization

/// The threads on which tasks receive bodies: a sink may wait for a disk, and Swift's own pool has only as many threads
/// as the machine has cores.
final class SinkThreads: TaskExecutor {
    private let queue = JobQueue()

    init() throws(FeedError) {
        let count = max(2, min(8, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        do throws(FeedError) {
            for _ in 0..<count { try NativeThread.start { [queue] in queue.run() } }
        } catch {
            queue.close()
            throw error
        }
    }

    deinit { queue.close() }

    func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), of: asUnownedTaskExecutor()) }
}

/// The jobs that wait for a thread.
///
/// A thread that finds no job sleeps, and each new job wakes at most one thread.
private final class JobQueue: Sendable {
    private struct State {
        var jobs = FIFO<Job>()
        var sleepers = 0
        var isClosed = false
    }

    private struct Job {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
    }

    private let state = Mutex(State())
    private let wakeUps = DispatchSemaphore(value: 0)

    func add(_ job: UnownedJob, of executor: UnownedTaskExecutor) {
        let wakes = state.withLock { state in
            state.jobs.append(Job(job: job, executor: executor))
            guard state.sleepers > 0 else { return false }
            state.sleepers -= 1
            return true
        }
        if wakes { wakeUps.signal() }
    }

    func run() {
        while let job = next() { job.job.runSynchronously(on: job.executor) }
    }

    /// Waits for a job; nil when the queue is closed.
    private func next() -> Job? {
        while true {
            let (job, isClosed) = state.withLock { state -> (Job?, Bool) in
                let job = state.jobs.popFirst()
                if job == nil, !state.isClosed { state.sleepers += 1 }
                return (job, state.isClosed)
            }
            if let job { return job }
            if isClosed { return nil }
            wakeUps.wait()
        }
    }

    /// Ends the threads after the last job.
    func close() {
        let sleepers = state.withLock { state in
            defer { state.sleepers = 0 }
            state.isClosed = true
            return state.sleepers
        }
        for _ in 0..<sleepers { wakeUps.signal() }
    }
}

/// A first-in, first-out queue with constant cost per element.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var first = 0

    mutating func append(_ element: Element) {
        if first > 64, first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            first += 1
            if first == elements.count {
                elements.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return elements[first].take()
    }
}
