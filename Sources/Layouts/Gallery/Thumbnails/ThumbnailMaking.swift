internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Makes thumbnails, as many at once as there are processors.
final class ThumbnailMaking: Sendable {
    private struct State {
        var progress: Progress
        /// What would come in the way of the others as well.
        var failure: FeedError?
    }

    /// A program takes a while to begin, and nobody should wait long for the last of them.
    private static let filesAtOnce = 24

    private let program: VipsThumbnail
    private let files: any ImageFiles
    private let directory: ThumbnailDirectory
    private let work: Descriptor
    private let progress: ProgressStream?
    private let state: Mutex<State>

    init(
        _ program: VipsThumbnail, of files: any ImageFiles, to directory: ThumbnailDirectory, in work: Descriptor,
        _ progress: ProgressStream?
    ) {
        self.program = program
        self.files = files
        self.directory = directory
        self.work = work
        self.progress = progress
        state = Mutex(State(progress: Progress()))
    }

    func make(_ images: [StoredImage]) async throws(FeedError) {
        state.withLock { $0.progress.total = images.count }
        let starts = Array(stride(from: 0, to: images.count, by: Self.filesAtOnce))
        await withTaskCancellationHandler {
            DispatchQueue.concurrentPerform(iterations: starts.count) { batch in
                let rest = images[starts[batch]...]
                do throws(FeedError) { try take(Array(rest.prefix(Self.filesAtOnce))) } catch { end(with: error) }
            }
        } onCancel: {
            end(with: .cancelled)
            program.endAll()
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func end(with error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    private func take(_ images: [StoredImage]) throws(FeedError) {
        var placed: [Digest] = []
        for image in images where state.withLock({ $0.failure == nil }) {
            do throws(FeedError) {
                try files.open(image).place(at: "\(work.path)/\(image.digest.hex)")
                placed.append(image.digest)
            } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
                // The gallery meets it, too, and tells.
                count(isMade: false)
            }
        }
        do throws(SystemError) { try make(placed) } catch {
            throw .storage(.failed, "making thumbnails failed: \(error.message)")
        }
    }

    /// A image that ends the program is found by running it on each alone.
    private func make(_ digests: [Digest]) throws(SystemError) {
        guard !digests.isEmpty, state.withLock({ $0.failure == nil }) else { return }
        let outcome = try program.run(on: digests.map(\.hex), in: work)
        guard state.withLock({ $0.failure == nil }) else { return }
        if outcome == .unusable { return end(with: program.unusable) }
        let areWhole = outcome == .ended(hasComplaints: false)
        if !areWhole, digests.count > 1 {
            for digest in digests { try make([digest]) }
            return
        }
        for digest in digests {
            let isMade = areWhole ? try directory.adopt(digest, from: work) : false
            if !isMade {
                try ThumbnailDirectory.requireRoom(in: work)
                try directory.giveUp(on: digest)
            }
            unlinkat(work.number, digest.hex, 0)
            count(isMade: isMade)
        }
    }

    private func count(isMade: Bool) {
        let now = state.withLock { state in
            state.progress.done += 1
            if !isMade { state.progress.failed += 1 }
            return state.progress
        }
        progress?.yield(now)
    }
}
