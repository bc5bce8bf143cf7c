import FeedCommands
import Glibc

/// What has to be there before the rest begins: where it isn't, the program would break off or stand still at some moment,
/// and couldn't say why.
enum Requirements {
    /// Ends the process where something is missing.
    static func check() {
        requireProc()
        requireAddresses()
        requireDescriptors()
        requireThreads()
    }

    /// Swift takes the arguments from /proc, and its threads look there at each other. Without it, a run would take itself
    /// for one without arguments, which is a sync, and break off at some moment.
    private static func requireProc() {
        guard access("/proc/self/stat", R_OK) == 0 else {
            end(.failure, "/proc can't be read, and nothing goes without it")
        }
        guard CommandLine.argc == 0 else { return }
        end(.failure, "its arguments can't be found in /proc: a library that was loaded before it may have moved them")
    }

    /// Stacks, libraries and the database's log are mapped and hardly touched. Where there is no room for that, libraries
    /// break off or wait for good.
    private static func requireAddresses() {
        let needed = rlim_t(512 << 20)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < needed else { return }
        end(.failure, "it may have too little address space: 512M are needed (see ulimit -v, or LimitAS in systemd)")
    }

    /// Threads, timers and signals take some too, and where Dispatch gets none it ends the process without a word.
    private static func requireDescriptors() {
        let needed = 32
        var taken: [Int32] = []
        while taken.count < needed, case let next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), next >= 0 {
            taken.append(next)
        }
        for descriptor in taken { close(descriptor) }
        guard taken.count < needed else { return }
        end(.ioFailure, "it may have too few open files: \(needed) more are needed (see ulimit -n)")
    }

    /// Where Dispatch gets none it waits until it does, and lets nobody know: nothing is done, and no signal is seen.
    private static func requireThreads() {
        let needed = 16
        var started: [pthread_t] = []
        // None ends before all have begun.
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        // It's their number that is asked for, not what memory there is for them.
        var small = pthread_attr_t()
        pthread_attr_init(&small)
        pthread_attr_setstacksize(&small, 64 << 10)
        defer { pthread_attr_destroy(&small) }
        while started.count < needed {
            var thread = pthread_t()
            guard pthread_create(&thread, &small, Self.passGate, gate) == 0 else { break }
            started.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in started { pthread_join(thread, nil) }
        guard started.count < needed else { return }
        end(.failure, "it may start too few threads: \(needed) are needed (see ulimit -u, or TasksMax in systemd)")
    }

    private static let passGate: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
        let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
        if let gate {
            pthread_mutex_lock(gate)
            pthread_mutex_unlock(gate)
        }
        return nil
    }

    private static func end(_ code: ExitCode, _ reason: String) -> Never {
        StandardStreams().say("feedsync: \(reason)")
        exit(code.rawValue)
    }

    /// While there is one thread, the kernel makes room for many open files at once, as an import has them. Later, whoever
    /// opens one more than there is room for waits some 10 ms for what every processor is at.
    static func makeRoomForOpenFiles() {
        let far = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 600)
        if far >= 0 { close(far) }
    }
}
