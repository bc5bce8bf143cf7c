import Synchronization

/// The result of an image request that goes to the store, with the number of a request that brought or confirmed data.
enum ImageResult: Sendable {
    case received(ReceivedImage, request: Int)
    case notModified(ConfirmedImage, request: Int)
    case failed(ImageFailure)
}

/// Gathers results, and stores them in batches: making 500 files durable at once costs little more than one.
///
/// While a batch is published, the next one gathers. Results for a third batch have to wait, which bounds the memory
/// and the open files.
///
/// Publishing continues when the run is cancelled, so that everything that was received is kept.
final class ImageBatches: Sendable {
    private static let mostImages = 500
    /// The smallest size of a batch.
    ///
    /// Batches shrink near the end of a run, so that little is left to publish after the last image.
    private static let fewestImages = 100
    private static let mostBytes: Int64 = 256 << 20
    private static let longestWait = Duration.seconds(5)

    private struct Batch {
        var received: [ReceivedImage] = []
        var receivedFrom: [Int] = []
        var notModified: [ConfirmedImage] = []
        var confirmedBy: [Int] = []
        var failed: [ImageFailure] = []
        var bytes: Int64 = 0

        var count: Int { received.count + notModified.count + failed.count }

        mutating func add(_ result: ImageResult) {
            switch result {
            case .received(let image, let request):
                received.append(image)
                receivedFrom.append(request)
                bytes += image.size
            case .notModified(let image, let request):
                notModified.append(image)
                confirmedBy.append(request)
            case .failed(let failure): failed.append(failure)
            }
        }
    }

    private struct State {
        var gathering = Batch()
        /// The timer that sends the batch after `longestWait`.
        var timer: Task<Void, Never>?
        /// The task of the last batch that was sent, which waits for the batches before it.
        var last: Task<Void, Never>?
        var unpublished = 0
        /// The number of workers that add results.
        var jobs = 0
    }

    private let state = Mutex(State())
    private let store: any ImageStore
    private let requests: ImagesUnderWay
    private let mostStaged: Int
    private let scheduler: RequestScheduler
    private let results: DownloadResults
    private let newImages: NewImages?
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        store: any ImageStore, of requests: ImagesUnderWay, scheduler: RequestScheduler, results: DownloadResults,
        newImages: NewImages?,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.store = store
        self.requests = requests
        self.scheduler = scheduler
        self.results = results
        self.newImages = newImages
        self.sleep = sleep
        mostStaged = store.mostStaged
    }

    /// Registers a worker that adds results.
    func addJob() { state.withLock { $0.jobs += 1 } }

    /// Returns the size of a batch.
    ///
    /// Two batches may be staged at once. Each job needs three more files: for the image that it adds, for the image
    /// that it receives, and for its connection.
    static func batchSize(mostStaged: Int, jobs: Int) -> Int {
        min(mostImages, max(1, (mostStaged - 3 * jobs) / 2))
    }

    /// Adds a result, and waits for room for the next one.
    func add(_ result: ImageResult) async {
        let backlog = state.withLock { state -> Task<Void, Never>? in
            if state.gathering.count == 0 { state.timer = startTimer() }
            state.gathering.add(result)
            if isFull(state) { send(&state) }
            return state.unpublished > 1 ? state.last : nil
        }
        await backlog?.value
    }

    private func isFull(_ state: State) -> Bool {
        let most = Self.batchSize(mostStaged: mostStaged, jobs: state.jobs)
        if state.gathering.count >= most || state.gathering.bytes >= Self.mostBytes { return true }
        guard state.gathering.count >= Self.fewestImages, let left = scheduler.left else { return false }
        return state.gathering.count >= left
    }

    /// Publishes the last batch, and waits until everything is published.
    func finish() async {
        let last = state.withLock { state in
            send(&state)
            return state.last
        }
        await last?.value
    }

    private func startTimer() -> Task<Void, Never> {
        // The reference is weak, so that a cancelled timer releases the store at once.
        Task { [weak self, sleep] in
            do {
                try await sleep(Self.longestWait)
            } catch {
                return  // The batch was sent before.
            }
            self?.sendNow()
        }
    }

    private func sendNow() { state.withLock { send(&$0) } }

    private func send(_ state: inout State) {
        state.timer?.cancel()
        guard state.gathering.count > 0 else { return }
        let batch = state.gathering
        let earlier = state.last
        state.gathering = Batch()
        state.unpublished += 1
        state.last = Task {
            await earlier?.value
            await publish(batch)
        }
    }

    /// Publishes a batch.
    ///
    /// Images can join its requests until now; later images find the data in the cache.
    private func publish(_ batch: Batch) async {
        do throws(FeedError) {
            var (received, confirmed) = (batch.received, batch.notModified)
            let receivers = batch.receivedFrom.map(requests.finish)
            for (index, images) in receivers.enumerated() { received[index].feeds = images.feeds }
            let confirmers = batch.confirmedBy.map(requests.finish)
            for (index, images) in confirmers.enumerated() { confirmed[index].feeds = images.feeds }
            // Confirmed data is in the cache already, even if this batch fails.
            results.confirmed(confirmers)
            if !received.isEmpty {
                let stored = try await store.publish(received)
                let exhaustion = store.exhaustion
                results.published(received, for: receivers, stored, exhaustion)
                try newImages?.report(receivers, stored)
                if let exhaustion { throw exhaustion }
            }
            if !confirmed.isEmpty { try await store.confirm(confirmed) }
            if !batch.failed.isEmpty { try await store.remember(batch.failed) }
        } catch {
            results.stop(error)
        }
        state.withLock { $0.unpublished -= 1 }
    }
}
