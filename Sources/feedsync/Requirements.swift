import FeedCommands
import Glibc

/// Checks the limits of the system before the run. With less than they need, libraries abort or hang later without a
/// message.
enum Requirements {
    /// The limits. Stacks, libraries and the database's log are mapped but hardly touched. Without a descriptor,
    /// Dispatch ends the process silently; without a thread, it hangs and ignores signals.
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
