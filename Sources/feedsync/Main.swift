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
        // A reader that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // All text here is UTF-8; libcurl goes by the locale for host names that are not ASCII alone.
        setlocale(LC_CTYPE, "C.UTF-8")
        let streams = StandardStreams()
        let signals = TerminationSignals { streams.wipe() }
        let application = Application(RealWorld(streams, signals))
        let run = Task { await application.run(Array(CommandLine.arguments.dropFirst())) }
        signals.onFirst { run.cancel() }
        let code = await run.value
        // All is written, and all caches are closed. What `exit` does besides is to take OpenSSL down, beside threads that
        // may still be letting go of their connections.
        _exit(signals.received.map { 128 + $0 } ?? code.rawValue)
    }

    /// Dispatch gives its threads priorities of its own, whatever `nice` said. Root's succeeds with that, above all others
    /// even; anybody else's tells the system's log each time that it couldn't.
    private static func keepNiceness() {
        feedsync_stay_nice()
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }

    /// While there is one thread, the kernel makes room for many open files at once, as an import has them. Later, whoever
    /// opens one more than there is room for waits some 10 ms for what every processor is at.
    private static func makeRoomForOpenFiles() {
        let far = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 600)
        if far >= 0 { close(far) }
    }
}
