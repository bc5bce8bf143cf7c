// Its header brings in <pthread.h>; whichever module does so first counts as the one that defines its types.
import CCurl
import FeedCore
import Glibc

/// A thread of our own, for work that blocks: Swift's cooperative pool has only as many threads as the machine has
/// cores, and none to spare.
enum NativeThread {
    static func start(_ body: @escaping @Sendable () -> Void) throws(FeedError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .connectivity("no thread for transfers could be started: \(String(cString: strerror(code)))")
        }
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
