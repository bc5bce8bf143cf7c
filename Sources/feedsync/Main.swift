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

    /// Keeps the priority that `nice` set. Dispatch gives its threads priorities of its own: as root it would exceed
    /// all others, and otherwise it would log each failed attempt.
    private static func keepNiceness() {
        feedsync_stay_nice()
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }

    /// Reserves room for many open files while there is one thread, for an import. Later, enlarging the table would
    /// wait about 10 ms for every processor.
    private static func makeRoomForOpenFiles() {
        let far = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 600)
        if far >= 0 { close(far) }
    }
}
