import Glibc

/// A detached thread for blocking work.
///
/// It blocks all signals, so that a write to a closed connection gives an error code instead of SIGPIPE.
package enum BlockingThread {
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
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
            throw .code(code, "pthread_create")
        }
        pthread_detach(thread)
    }

    private final class Start: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            body()
        }
    }
}
