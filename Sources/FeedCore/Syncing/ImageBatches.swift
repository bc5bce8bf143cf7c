import Synchronization

/// The result of a request that the store is to know of.
enum ImageResult: Sendable {
    case received(ReceivedImage, Ending)
    case notModified(ConfirmedImage, Ending)
    case failed(ImageFailure)

    /// The end of a request that brought or confirmed data.
    struct Ending: Sendable {
        let request: Int
        let circumstances: RequestCircumstances
    }
}

/// Gathers results and has them stored a batch at a time: making 500 files durable at once costs little more than
/// one. While a batch is published the next one gathers; who would add to a third has to wait, which bounds the memory
/// and the files held open.
///
/// Publishing goes on when the run is cancelled: what was received is kept.
final class ImageBatches: Sendable {
    private static let mostImages = 500
    /// Near the end, batches get smaller, so that there is little to publish when the last image has come; but not
    /// smaller than this.
    private static let fewestImages = 100
    private static let mostBytes: Int64 = 256 << 20
    private static let longestWait = Duration.seconds(5)

    private struct Batch {
        var received: [ReceivedImage] = []
        var receivedFrom: [ImageResult.Ending] = []
        var notModified: [ConfirmedImage] = []
        var confirmedBy: [ImageResult.Ending] = []
        var failed: [ImageFailure] = []
        var bytes: Int64 = 0

        var count: Int { received.count + notModified.count + failed.count }

        mutating func add(_ result: ImageResult) {
            switch result {
            case .received(let image, let ending):
                received.append(image)
                receivedFrom.append(ending)
                bytes += image.size
            case .notModified(let image, let ending):
                notModified.append(image)
                confirmedBy.append(ending)
            case .failed(let failure): failed.append(failure)
            }
        }
    }

    private struct State {
        var gathering = Batch()
        /// Sends the batch off when it has gathered long enough.
        var timer: Task<Void, Never>?
        /// The last batch that was sent off; it begins when those before it are done.
        var last: Task<Void, Never>?
        var unpublished = 0
        /// How many may add results at the same time.
        var jobs = 0
    }

    private let state = Mutex(State())
    private let store: any ImageStore
    private let requests: ImagesUnderWay
    private let mostStaged: Int
    private let traffic: RequestScheduler
    private let ledger: DownloadResults
    private let newImages: NewImages?
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        store: any ImageStore, of requests: ImagesUnderWay, traffic: RequestScheduler, ledger: DownloadResults,
        newImages: NewImages?,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.store = store
        self.requests = requests
        self.traffic = traffic
        self.ledger = ledger
        self.newImages = newImages
        self.sleep = sleep
        mostStaged = store.mostStaged
    }

    /// One more that adds results.
    func addJob() { state.withLock { $0.jobs += 1 } }

    /// Staged at once are two batches, what each job adds before it has to wait, and what each has in flight, for which
    /// there is a connection besides.
    static func batchSize(mostStaged: Int, jobs: Int) -> Int {
        min(mostImages, max(1, (mostStaged - 3 * jobs) / 2))
    }

    /// Returns when there is room for more.
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
        guard state.gathering.count >= Self.fewestImages, let left = traffic.left else { return false }
        return state.gathering.count >= left
    }

    /// Publishes what is left; returns when all is published.
    func finish() async {
        let last = state.withLock { state in
            send(&state)
            return state.last
        }
        await last?.value
    }

    private func startTimer() -> Task<Void, Never> {
        // A cancelled timer is not waited for, and must not keep the store open until it has noticed.
        Task { [weak self, sleep] in
            do {
                try await sleep(Self.longestWait)
            } catch {
                return  // Cancelled: the batch was sent off before.
            }
            self?.sendOff()
        }
    }

    private func sendOff() { state.withLock { send(&$0) } }

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

    /// An image can join a request until here: from now on the data is in the cache.
    private func publish(_ batch: Batch) async {
        do throws(FeedError) {
            var (received, confirmed) = (batch.received, batch.notModified)
            for (index, ending) in batch.receivedFrom.enumerated() {
                received[index].recipients = requests.finish(ending.request, ending.circumstances)
            }
            for (index, ending) in batch.confirmedBy.enumerated() {
                confirmed[index].recipients = requests.finish(ending.request, ending.circumstances)
            }
            // The data is in the cache, whatever becomes of this batch.
            ledger.confirmed(confirmed)
            if !received.isEmpty {
                let results = try await store.publish(received)
                let exhaustion = store.exhaustion
                ledger.published(received, results, exhaustion)
                try newImages?.tell(received, results)
                if let exhaustion { throw exhaustion }
            }
            if !confirmed.isEmpty { try await store.confirm(confirmed) }
            if !batch.failed.isEmpty { try await store.remember(batch.failed) }
        } catch {
            ledger.stop(error)
        }
        state.withLock { $0.unpublished -= 1 }
    }
}
