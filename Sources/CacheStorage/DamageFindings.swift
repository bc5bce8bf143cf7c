internal import FeedCore
internal import Synchronization
internal import SystemFiles

/// What several threads find that look for damaged images.
final class DamageFindings: Sendable {
    private struct State {
        var damaged: [Digest] = []
        /// Those that the disk could not give back.
        var lost: [(digest: Digest, error: SystemError)] = []
        /// Those that there is no right to.
        var forbidden: [SystemError] = []
        var failure: FeedError?
        /// Whether the bytes of any could be read.
        var hasRead = false
        var progress: Progress
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let stream: ProgressStream?

    init(of count: Int, _ stream: ProgressStream?) {
        state = Mutex(State(progress: Progress(total: count)))
        self.stream = stream
    }

    func add(_ condition: ImageFile.Condition, of digest: Digest) {
        state.withLock { state in
            switch condition {
            case .intact: state.hasRead = true
            case .damaged(let wasRead):
                state.hasRead = state.hasRead || wasRead
                state.damaged.append(digest)
            case .unread(let error) where error.isForbidden: state.forbidden.append(error)
            case .unread(let error): state.lost.append((digest, error))
            }
            if !condition.isIntact { state.progress.failed += 1 }
        }
    }

    /// What would come in the way of the next image as well.
    func fail(_ error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    func checked(_ size: Int64) {
        let progress = state.withLock { state in
            state.progress.done += 1
            state.progress.bytes += size
            return state.progress
        }
        stream?.yield(progress)
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// What is to be deleted, and what is told of those that are kept though they can't be read.
    func verdict() throws(FeedError) -> ([Digest], kept: FeedError?) {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        let unread = state.lost.count + state.forbidden.count
        // One that the disk lost is fetched again. But where it gives back none of several, it is the disk that is
        // broken, or its cable, and they may all be there.
        if let lost = state.lost.first, unread > 1, !state.hasRead {
            throw lost.error.feedError(.failed)
                .adding("; not one of \(unread) images can be read, and none was deleted")
                .hinting("see to the disk; files that you delete from images/ are fetched again by the next sync")
        }
        let kept = state.forbidden.first.map { first in
            let count = state.forbidden.count
            return first.feedError(.failed)
                .adding(count == 1 ? "; the image is kept" : "; \(count) images can't be read, and are kept")
        }
        return (state.damaged + state.lost.map(\.digest), kept)
    }
}
