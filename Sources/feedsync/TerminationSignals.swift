import Dispatch
import FeedCommands
import Glibc
import Synchronization

/// Handles INT, TERM and HUP: the first stops the run cleanly, and a later one ends it at once.
final class TerminationSignals: Sendable {
    private struct State {
        var first: Int32?
        var requests = StopRequests()
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let atOnce: @Sendable () -> Void
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// The number of the signal that stopped the run, or nil.
    var received: Int32? { state.withLock { $0.first } }

    /// Creates the handlers.
    ///
    /// `atOnce` is called before a later signal ends the process.
    init(atOnce: @escaping @Sendable () -> Void) {
        self.atOnce = atOnce
        sources = Mutex([])
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // nohup starts a program with HUP ignored, which must stay so.
            if number == SIGHUP, Self.isIgnored(number) { continue }
            // The signal has its default effect until the source takes over.
            watch(number)
        }
    }

    /// Calls `stop` at the first signal, even if it has already arrived.
    func onFirst(_ stop: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.stop = stop
            return state.first != nil
        }
        if hasCome { stop() }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func watch(_ number: Int32) {
        sources.withLock { sources in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in arrived(number) }
            source.resume()
            sources.append(source)
        }
    }

    private func arrived(_ number: Int32) {
        let (meaning, stop) = state.withLock { state in
            state.first = state.first ?? number
            return (state.requests.meaning(ofInterrupt: number == SIGINT, at: .now), state.stop)
        }
        switch meaning {
        case .stop: stop?()
        case .sameRequest: break
        case .endAtOnce:
            atOnce()
            _exit(128 + number)
        }
    }
}
