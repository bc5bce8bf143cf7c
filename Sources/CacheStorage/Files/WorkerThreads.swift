internal import Glibc
internal import Synchronization

/// A few threads that share a list of blocking jobs, such as fsyncs, which only become fast side by side. Dispatch
/// offers no more threads than there are processors.
final class WorkerThreads: Sendable {
    private let next = Atomic<Int>(0)
    private let count: Int
    private let work: @Sendable (Int) -> Void

    /// Does `work` for 0 to `count`, and returns when all is done.
    static func share(_ count: Int, among workers: Int, _ work: @escaping @Sendable (Int) -> Void) {
        let crew = WorkerThreads(count, work)
        var threads: [pthread_t] = []
        for _ in 1..<max(1, min(workers, count)) {
            var thread = pthread_t()
            // With fewer threads, or with none but this one, the work takes longer and is done all the same.
            guard pthread_create(&thread, nil, Self.main, Unmanaged.passUnretained(crew).toOpaque()) == 0 else { break }
            threads.append(thread)
        }
        crew.run()
        for thread in threads { pthread_join(thread, nil) }
        withExtendedLifetime(crew) {}
    }

    /// The same for jobs that wait for a disk. Where they don't, as in memory, a thread takes longer to begin than they
    /// take: others join in when a job had to wait.
    static func shareWaiting(_ count: Int, among workers: Int, _ work: @escaping @Sendable (Int) -> Void) {
        var done = 0
        var last = ContinuousClock.now
        while done < count {
            work(done)
            done += 1
            let now = ContinuousClock.now
            if now - last > .microseconds(100) { break }
            last = now
        }
        share(count - done, among: workers) { [done] job in work(done + job) }
    }

    private init(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.work = work
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { crew in
        if let crew { Unmanaged<WorkerThreads>.fromOpaque(crew).takeUnretainedValue().run() }
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
