internal import Dispatch
package import FeedCore
internal import Synchronization

/// Hashes one body after another on a thread of its own, while another thread reads and writes what comes next.
package final class BackgroundHash: Sendable {
    private static let mostPendingChunks = 48

    private let queue = DispatchQueue(label: "feedsync.hashing")
    /// Bounds what is waiting to be hashed, and with it memory.
    private let places = DispatchSemaphore(value: mostPendingChunks)
    private let state = Mutex(State())

    private struct State {
        var hash: SHA256?
        /// The first thing that went wrong; nothing is hashed after it.
        var failure: FeedError?
    }

    package init() {}

    /// Waits while too much is pending. Throws what went wrong before, with these bytes or others.
    package func append(_ chunk: [UInt8]) throws(FeedError) {
        try check()
        places.wait()
        queue.async { [self] in
            attempt { state throws(FeedError) in
                if state.hash == nil { state.hash = try SHA256() }
                try state.hash?.update(chunk)
            }
            places.signal()
        }
    }

    /// The end of one body: `judge` is asked about its digest, some time later.
    package func end(_ judge: @escaping @Sendable (Digest) throws(FeedError) -> Void) throws(FeedError) {
        try check()
        places.wait()
        queue.async { [self] in
            attempt { state throws(FeedError) in
                if state.hash == nil { state.hash = try SHA256() }
                guard let hash = state.hash else { return }
                state.hash = nil
                try judge(try hash.finish())
            }
            places.signal()
        }
    }

    /// Waits until all is hashed and judged.
    package func finish() throws(FeedError) {
        queue.sync {}
        try check()
    }

    private func check() throws(FeedError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func attempt(_ work: (inout State) throws(FeedError) -> Void) {
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(FeedError) { try work(&state) } catch { state.failure = error }
        }
    }
}
