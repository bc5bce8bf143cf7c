internal import FeedCore
internal import Glibc
internal import Synchronization

/// Threads that share a list of blocking jobs, such as fsyncs, which are only fast in parallel.
///
/// Dispatch starts at most one thread per processor.
final class WorkerThreads: Sendable {
    private let next = Atomic<Int>(0)
    private let count: Int
    private let work: @Sendable (Int) -> Void

    /// Calls `work` with 0 to `count - 1` and returns when every call has returned.
    static func share(_ count: Int, among threadCount: Int, _ work: @escaping @Sendable (Int) -> Void) {
        let workers = WorkerThreads(count, work)
        var threads: [pthread_t] = []
        for _ in 1..<max(1, min(threadCount, count)) {
            var thread = pthread_t()
            // If a thread can't be created, the other threads and this one do its share of the work.
            guard pthread_create(&thread, nil, Self.main, Unmanaged.passUnretained(workers).toOpaque()) == 0 else {
                break
            }
            threads.append(thread)
        }
        workers.run()
        for thread in threads { pthread_join(thread, nil) }
        withExtendedLifetime(workers) {}
    }

    /// Does the same for jobs that may wait for a disk.
    ///
    /// If a job returns at once, as in memory, starting a thread takes longer than the job. Therefore further threads
    /// start only after the first job that waited.
    static func shareWaiting(_ count: Int, among threadCount: Int, _ work: @escaping @Sendable (Int) -> Void) {
        var done = 0
        var last = ContinuousClock.now
        while done < count {
            work(done)
            done += 1
            let now = ContinuousClock.now
            if now - last > .microseconds(100) { break }
            last = now
        }
        share(count - done, among: threadCount) { [done] job in work(done + job) }
    }

    private init(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.work = work
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { workers in
        if let workers { Unmanaged<WorkerThreads>.fromOpaque(workers).takeUnretainedValue().run() }
        return nil
    }

    private func run() {
        while true {
            let job = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard job < count else { return }
            work(job)
        }
    }
}

/// The first failure on any of several threads.
///
/// Later work is skipped.
final class SharedFailure: Sendable {
    private let failure = Mutex<FeedError?>(nil)

    func recording(_ work: () throws(FeedError) -> Void) {
        do throws(FeedError) {
            try check()
            try work()
        } catch {
            failure.withLock { $0 = $0 ?? error }
        }
    }

    func check() throws(FeedError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
