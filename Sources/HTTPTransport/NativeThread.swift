// libcurl's headers bring the thread types along; whose the compiler takes them to be depends on which it meets first.
import CCurl
import FeedCore
import Glibc

/// A thread of our own, for work that blocks: Swift's cooperative pool has only as many threads as the machine has
/// cores, and none to spare.
enum NativeThread {
    static func start(_ body: @escaping @Sendable () -> Void) throws(FeedError) {
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .connectivity("no thread for transfers could be started: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }

    private final class Start: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            // Signals are for the main thread. A blocked SIGPIPE also makes a write to a closed connection an error
            // code: libcurl is told to leave signals alone.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            body()
        }
    }
}
