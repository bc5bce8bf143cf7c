import Dispatch
import Glibc
import Synchronization

/// INT, TERM and HUP: the first stops the run cleanly, the second ends it at once.
final class TerminationSignals: Sendable {
    private let first = Mutex<Int32?>(nil)
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// The number of the signal that stops the run, if one came.
    var received: Int32? { first.withLock { $0 } }

    init(stop: @escaping @Sendable () -> Void) {
        sources = Mutex([])
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // nohup starts a program with HUP ignored, and means it.
            if number == SIGHUP, Self.isIgnored(number) { continue }
            // The source is told of the signal in addition to what the signal does by itself.
            signal(number, SIG_IGN)
            watch(number, stop)
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func watch(_ number: Int32, _ stop: @escaping @Sendable () -> Void) {
        sources.withLock { sources in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in arrived(number, stop) }
            source.resume()
            sources.append(source)
        }
    }

    private func arrived(_ number: Int32, _ stop: () -> Void) {
        let isSecond = first.withLock { first in
            defer { first = first ?? number }
            return first != nil
        }
        if isSecond { _exit(128 + number) }
        stop()
    }
}
