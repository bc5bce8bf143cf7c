internal import FeedCore
internal import Synchronization

/// The first thing that goes wrong on any of several threads; nothing is begun after it.
final class SharedFailure: Sendable {
    private let failure = Mutex<FeedError?>(nil)

    func remembering(_ work: () throws(FeedError) -> Void) {
        do throws(FeedError) {
            try check()
            try work()
        } catch {
            failure.withLock { $0 = $0 ?? error }
        }
    }

    func check() throws(FeedError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
