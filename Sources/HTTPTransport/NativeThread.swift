// libcurl's headers declare the thread types, too. The order of these imports decides which module the compiler
// attributes them to.
import CCurl
import FeedCore
import Glibc

/// Starts threads for blocking work: Swift's cooperative pool has only as many threads as the machine has cores.
enum NativeThread {
    static func start(_ body: @escaping @Sendable () -> Void) throws(FeedError) {
        let start = Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .connectivity("no thread for transfers could be started: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }

    private final class ThreadBody: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            // Signals belong to the main thread. With SIGPIPE blocked, a write to a closed connection fails with an
            // error code.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            body()
        }
    }
}
