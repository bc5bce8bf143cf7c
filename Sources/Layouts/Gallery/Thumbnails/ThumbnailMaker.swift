internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Makes thumbnails in batches, one batch per processor at a time.
final class ThumbnailMaker: Sendable {
    private struct State {
        var progress: Progress
        /// The error that ends the work, because it would affect the other images too.
        var failure: FeedError?
    }

    /// The number of images for one run of the program: enough to make up for the time that a program takes to start,
    /// and few enough that all processors are busy until the end.
    private static let batchSize = 24

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
        let starts = Array(stride(from: 0, to: images.count, by: Self.batchSize))
        await withTaskCancellationHandler {
            DispatchQueue.concurrentPerform(iterations: starts.count) { batch in
                let rest = images[starts[batch]...]
                do throws(FeedError) { try makeBatch(Array(rest.prefix(Self.batchSize))) } catch { end(with: error) }
            }
        } onCancel: {
            end(with: .cancelled)
            program.endAll()
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func end(with error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    private func makeBatch(_ images: [StoredImage]) throws(FeedError) {
        var placed: [Digest] = []
        for image in images where state.withLock({ $0.failure == nil }) {
            do throws(FeedError) {
                try files.open(image).place(at: "\(work.path)/\(image.digest.hex)")
                placed.append(image.digest)
            } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
                // The gallery reads the same file later and reports the error.
                count(isMade: false)
            }
        }
        do throws(SystemError) { try make(placed) } catch {
            throw .storage(.failed, "making thumbnails failed: \(error.message)")
        }
    }

    /// Makes the thumbnails of some images. If the program fails, it runs again for each image separately, so that only
    /// the image that causes the failure goes without.
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
