/// Use case: have the data of many images, a bounded number at a time.
///
/// As many lanes as may be in flight each take an image, have it, and take the next: an image costs no task of its own.
package struct ImageDownloads: Sendable {
    package struct Window: Sendable {
        package var jobs: Int
        package var perHost: Int

        package init(jobs: Int, perHost: Int) {
            self.jobs = jobs
            self.perHost = perHost
        }
    }

    package struct Wanted: Hashable, Sendable {
        package let url: ResourceURL
        package let terms: RequestTerms

        package init(_ url: ResourceURL, on terms: RequestTerms = RequestTerms()) {
            self.url = url
            self.terms = terms
        }
    }

    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let window: Window
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(
        remote: RemoteImageDataLoader, store: any ImageStore, window: Window,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.remote = remote
        self.store = store
        self.window = window
        self.now = now
        self.sleep = sleep
    }

    package struct Outcome: Sendable {
        package var report: ImagesReport
        /// What ended the downloads early: the store itself failed.
        package var fatal: FeedError?
    }

    /// Adds to `report` what became of each of `images`, whose URLs are distinct and not in the cache.
    package func run(
        _ images: [Wanted], adding report: ImagesReport, events: AsyncStream<SyncEvent>.Continuation
    ) async -> Outcome {
        let ledger = DownloadLedger(
            queue: DownloadQueue(images.map(\.url), jobs: window.jobs, perHost: window.perHost), report: report,
            events: events)
        let batches = ImageBatches(store: store, ledger: ledger, sleep: sleep)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(window.jobs, images.count) {
                group.addTask { await have(images, ledger, batches) }
            }
            // When the store fails, the first lane to see it ends, and with it what the others wait for.
            for await _ in group where ledger.fatal != nil { group.cancelAll() }
        }
        await batches.finish()
        return ledger.outcome
    }

    /// One lane. It may end while others go on: whatever it leaves waits for a host that is busy, and goes to the lane
    /// that frees it.
    private func have(_ images: [Wanted], _ ledger: DownloadLedger, _ batches: ImageBatches) async {
        while !Task.isCancelled, let index = ledger.next() {
            do {
                let received = try await receive(images[index])
                ledger.ended(index)
                await batches.add(received)
            } catch {
                ledger.ended(index)
                ledger.failed(images[index].url, error)
            }
        }
    }

    private func receive(_ image: Wanted) async throws(FeedError) -> ReceivedImage {
        let received = try await remote.receive(image.url, on: image.terms) { [store] () throws(FeedError) in
            try store.stage()
        }
        return ReceivedImage(
            url: image.url, bytes: received.bytes, size: received.size, type: received.type,
            validators: received.validators, fetchedAt: now())
    }
}
