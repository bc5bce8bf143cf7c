import CLinux
import FeedCommands
import Glibc

/// Prepares the process, runs the program in it and ends it with the program's exit code.
@main
struct Main {
    static func main() async {
        StandardStreams.secure()
        keepNiceness()
        feedsync_take_memory_in_large_steps()
        Requirements.check()
        makeRoomForOpenFiles()
        // A write to a closed pipe must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        // All text is UTF-8, and libcurl reads host names beyond ASCII in the locale's encoding.
        setlocale(LC_CTYPE, "C.UTF-8")
        let streams = StandardStreams()
        let signals = TerminationSignals { streams.eraseLineIfReady() }
        let application = Application(RealWorld(streams, signals))
        let run = Task { await application.run(Array(CommandLine.arguments.dropFirst())) }
        signals.onFirst { run.cancel() }
        let code = await run.value
        // Everything is written, and all caches are closed. Unlike `exit`, `_exit` leaves OpenSSL intact, which other
        // threads may still use to close connections.
        _exit(signals.received.map { 128 + $0 } ?? code.rawValue)
    }

    /// Keeps the priority that `nice` set.
    ///
    /// Dispatch gives its threads priorities of its own: as root it would exceed all others, and otherwise it would log
    /// each failed attempt.
    private static func keepNiceness() {
        feedsync_stay_nice()
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }

    /// Reserves room for many open files while there is one thread, for an import.
    ///
    /// Later, enlarging the table would wait about 10 ms for every processor.
    private static func makeRoomForOpenFiles() {
        let far = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 600)
        if far >= 0 { close(far) }
    }
}

/// Checks the limits of the system before the run.
///
/// With less than they need, libraries abort or hang later without a message.
enum Requirements {
    /// The limits.
    ///
    /// Stacks, libraries and the database's log are mapped but hardly touched. Without a descriptor, Dispatch ends the
    /// process silently; without a thread, it hangs and ignores signals.
    private static let limits: [(resource: __rlimit_resource, needed: rlim_t, code: ExitCode, complaint: String)] = [
        (
            RLIMIT_AS, 512 << 20, .failure,
            "it may have too little address space: 512M are needed (see ulimit -v, or LimitAS in systemd)"
        ),
        (
            RLIMIT_NOFILE, 40, .ioFailure,
            "it may have too few open files: 40 are needed (see ulimit -n)"
        ),
        (
            __RLIMIT_NPROC, 16, .failure,
            "it may start too few threads: 16 are needed (see ulimit -u)"
        ),
    ]

    /// Ends the process if a requirement is missing.
    static func check() {
        // Swift reads the arguments from /proc; without it, the run would seem to have none.
        guard access("/proc/self/stat", R_OK) == 0 else {
            end(.failure, "/proc can't be read, and nothing goes without it")
        }
        guard CommandLine.argc > 0 else {
            end(.failure, "its arguments can't be found in /proc: a library loaded before it may have moved them")
        }
        for (resource, needed, code, complaint) in limits {
            var limit = rlimit()
            if getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < needed {
                end(code, complaint)
            }
        }
    }

    private static func end(_ code: ExitCode, _ reason: String) -> Never {
        StandardStreams().say("feedsync: \(reason)")
        exit(code.rawValue)
    }
}
