import Synchronization

/// Gathers received images and publishes them a batch at a time: making 500 files durable at once costs little more than
/// one. While a batch is published the next one gathers; who would add to a third has to wait, which bounds the files
/// held open.
///
/// Publishing goes on when the run is cancelled: what was received is kept.
final class ImageBatches: Sendable {
    private static let mostImages = 500
    private static let mostBytes: Int64 = 256 << 20
    private static let longestWait = Duration.seconds(5)

    private struct State {
        var gathering: [ReceivedImage] = []
        var bytes: Int64 = 0
        /// Sends the batch off when it has gathered long enough.
        var timer: Task<Void, Never>?
        /// The last batch that was sent off; it begins when those before it are done.
        var last: Task<Void, Never>?
        var unpublished = 0

        var isFull: Bool { gathering.count >= ImageBatches.mostImages || bytes >= ImageBatches.mostBytes }
    }

    private let state = Mutex(State())
    private let store: any ImageStore
    private let ledger: DownloadLedger
    private let sleep: @Sendable (Duration) async throws -> Void

    init(store: any ImageStore, ledger: DownloadLedger, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.store = store
        self.ledger = ledger
        self.sleep = sleep
    }

    /// Returns when there is room for more.
    func add(_ image: ReceivedImage) async {
        let backlog = state.withLock { state -> Task<Void, Never>? in
            if state.gathering.isEmpty { state.timer = startTimer() }
            state.gathering.append(image)
            state.bytes += image.size
            if state.isFull { send(&state) }
            return state.unpublished > 1 ? state.last : nil
        }
        await backlog?.value
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
        // It may outlast the run by a moment, and must not keep the store open for it.
        Task { [weak self, sleep] in
            do {
                try await sleep(Self.longestWait)
            } catch {
                return  // Cancelled: the batch was sent off before.
            }
            self?.sendWhatIsThere()
        }
    }

    private func sendWhatIsThere() {
        state.withLock { send(&$0) }
    }

    private func send(_ state: inout State) {
        state.timer?.cancel()
        guard !state.gathering.isEmpty else { return }
        let batch = state.gathering
        let earlier = state.last
        state.gathering = []
        state.bytes = 0
        state.unpublished += 1
        state.last = Task {
            await earlier?.value
            await publish(batch)
        }
    }

    private func publish(_ batch: [ReceivedImage]) async {
        do {
            ledger.published(batch, try await store.publish(batch))
        } catch {
            ledger.stop(error)
        }
        state.withLock { $0.unpublished -= 1 }
    }
}
