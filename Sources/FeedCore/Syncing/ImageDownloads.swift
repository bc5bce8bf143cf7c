/// Use case: have the data of many images, a bounded number at a time.
package struct ImageDownloads: Sendable {
    package struct Window: Sendable {
        package var jobs: Int
        package var perHost: Int

        package init(jobs: Int, perHost: Int) {
            self.jobs = jobs
            self.perHost = perHost
        }
    }

    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let window: Window
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    var limits = ImageBatches.Limits()

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
        package var fatal: FeedError?
    }

    private enum Step: Sendable {
        case ended(Int, Result<ReceivedImage, FeedError>)
        /// A batch has gathered long enough.
        case due(batch: Int)
    }

    /// Adds to `report` what became of each of `urls`, which are distinct and not in the cache.
    package func run(
        _ urls: [ResourceURL], adding report: ImagesReport, events: AsyncStream<SyncEvent>.Continuation
    ) async -> Outcome {
        var queue = DownloadQueue(urls, jobs: window.jobs, perHost: window.perHost)
        var batches = ImageBatches(store: store, limits: limits)
        var outcome = Outcome(report: report)
        await withTaskGroup(of: Step.self) { group in
            while let image = queue.next() { start(image, of: urls, in: &group) }
            while let step = await group.next() {
                switch step {
                case .due(let batch):
                    if batch == batches.number { outcome.add(await batches.publish(), events) }
                case .ended(let image, let result):
                    queue.finished(image)
                    switch result {
                    case .success(let received):
                        if batches.isEmpty { startTimer(for: batches.number, in: &group) }
                        batches.add(received)
                        if batches.isFull { outcome.add(await batches.publish(), events) }
                    case .failure(let error):
                        outcome.fail(urls[image], error, events)
                    }
                    while outcome.fatal == nil, !Task.isCancelled, let image = queue.next() {
                        start(image, of: urls, in: &group)
                    }
                    if queue.isIdle { group.cancelAll() }
                }
                if outcome.fatal != nil { group.cancelAll() }
            }
        }
        outcome.add(await batches.publish(), events)
        outcome.add(await batches.finishPublishing(), events)
        return outcome
    }

    private func start(_ image: Int, of urls: [ResourceURL], in group: inout TaskGroup<Step>) {
        let url = urls[image]
        group.addTask { .ended(image, await receive(url)) }
    }

    private func startTimer(for batch: Int, in group: inout TaskGroup<Step>) {
        group.addTask { [sleep, age = limits.age] in
            do {
                try await sleep(age)
            } catch {
                // Cancelled: the run is over, and publishes what is left anyway.
            }
            return .due(batch: batch)
        }
    }

    private func receive(_ url: ResourceURL) async -> Result<ReceivedImage, FeedError> {
        do {
            let received = try await remote.receive(url) { [store] () throws(FeedError) in try store.stage() }
            let image = ReceivedImage(
                url: url, bytes: received.bytes, size: received.size, type: received.type,
                validators: received.validators, fetchedAt: now())
            return .success(image)
        } catch {
            return .failure(error)
        }
    }
}

extension ImageDownloads.Outcome {
    /// A cancelled image is no failure, and a cache that can't be written ends the run instead of failing each image.
    fileprivate mutating func fail(
        _ url: ResourceURL, _ error: FeedError, _ events: AsyncStream<SyncEvent>.Continuation
    ) {
        switch error.kind {
        case .cancelled: return
        case .storage: fatal = fatal ?? error
        default:
            report.failures.append(ImagesReport.Failure(url: url, error: error))
            events.yield(.imageFailed(url, error))
        }
    }

    fileprivate mutating func add(
        _ published: ImageBatches.Published?, _ events: AsyncStream<SyncEvent>.Continuation
    ) {
        switch published {
        case nil: return
        case .failure(let error): fatal = fatal ?? error
        case .success(let images):
            for (image, failure) in images {
                if let failure {
                    report.failures.append(ImagesReport.Failure(url: image.url, error: failure))
                    events.yield(.imageFailed(image.url, failure))
                } else {
                    report.downloaded += 1
                    report.bytes += image.size
                    events.yield(.imageDownloaded(image.url, bytes: image.size))
                }
            }
        }
    }
}
