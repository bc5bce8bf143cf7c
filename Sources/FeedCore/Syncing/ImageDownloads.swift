/// The input of `ImageDownloads`, which arrives while the feeds are loaded.
package enum DownloadInput: Sendable {
    case wanted([WantedImage])
    /// An error that ends the run, as a failure of the store does.
    case failure(FeedError)
}

/// Use case: downloads many images, a bounded number at a time.
///
/// There are as many workers as requests may be in flight. Each takes an image, requests it, and takes the next. An
/// image that has to pause returns to the scheduler, so that images cost no tasks.
package struct ImageDownloads: Sendable {
    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let sleep: @Sendable (Duration) async throws -> Void
    private let mostPartial: Int

    private var scheduler: RequestScheduler { remote.fetcher.scheduler }

    package init(
        remote: RemoteImageDataLoader, store: any ImageStore,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.remote = remote
        self.store = store
        self.sleep = sleep
        mostPartial = min(64, store.mostStaged / Self.filesOfJob - remote.fetcher.scheduler.jobs)
    }

    /// The number of open files of a job: its image, the previous image on its way to disk, and a connection.
    private static let filesOfJob = 3

    /// Returns the largest number of jobs for this store.
    ///
    /// Half of all files stay free for batches.
    package static func mostJobs(storing store: any ImageStore) -> Int {
        max(1, store.mostStaged / (2 * filesOfJob))
    }

    private struct Run {
        let images: ImagesUnderWay
        let results: DownloadResults
        let batches: ImageBatches
    }

    /// Downloads the images of `inputs` as they arrive, and returns after the last of them.
    package func run(
        _ inputs: AsyncStream<DownloadInput>, events: SyncEvents?, newImages: NewImages? = nil,
        inSeveralWays: Bool = false
    ) async -> DownloadOutcome {
        let results = DownloadResults(of: scheduler, events: events, inSeveralWays: inSeveralWays)
        let images = ImagesUnderWay(remote, store, mostPartial: mostPartial)
        let run = Run(
            images: images, results: results,
            batches: ImageBatches(
                store: store, of: images, scheduler: scheduler, results: results, newImages: newImages, sleep: sleep))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await startWorkers(for: inputs, in: run)
                } onCancel: {
                    scheduler.stop()
                }
            }
            // When the store fails, a worker may be waiting for a silent server.
            group.addTask { await results.untilStopped() }
            // The task that ends first cancels the other.
            await group.next()
            group.cancelAll()
        }
        await run.batches.finish()
        var outcome = results.outcome
        outcome.report.failures = run.images.inOrder(outcome.report.failures)
        return outcome
    }

    /// Starts as many workers as the images need, and waits for them.
    private func startWorkers(for inputs: AsyncStream<DownloadInput>, in run: Run) async {
        let executor = remote.fetcher.executor
        await withTaskGroup(of: Void.self) { workers in
            var workerCount = 0
            for await input in inputs {
                switch input {
                case .failure(let error): run.results.stop(error)
                case .wanted(let images):
                    run.results.begin(images)
                    let failed = run.images.add(images)
                    for _ in failed { run.results.answered() }
                    run.results.failed(failed)
                    let wantedWorkers = max(workerCount, min(scheduler.jobs, run.images.count))
                    for _ in workerCount..<wantedWorkers {
                        run.batches.addJob()
                        workers.addTask(executorPreference: executor) { await runWorker(in: run) }
                    }
                    workerCount = wantedWorkers
                }
            }
            scheduler.complete()
        }
    }

    private func runWorker(in run: Run) async {
        while let start = await scheduler.nextImage() {
            var image = run.images.take(start.number)
            do throws(FeedError) {
                switch try await remote.fetcher.attempt(&image.fetch) {
                case .retry(let pause, let reservesSlot):
                    run.images.putBack(image, start.number)
                    scheduler.pause(start, for: pause, reservingSlot: reservesSlot, image.fetch.signal)
                case .requeue:
                    run.images.putBack(image, start.number)
                    scheduler.move(start, to: image.fetch.origin, image.fetch.signal)
                case .answered(let response):
                    let answer = try remote.answer(response, to: image.wanted, in: image.sink)
                    if case .notModified = answer { run.images.confirm(start.number) }
                    scheduler.finish(start, image.fetch.signal)
                    run.results.answered()
                    await take(answer, start.number, in: run)
                }
            } catch {
                await take(error, of: image, start, in: run)
            }
        }
    }

    private func take(_ answer: RemoteImageDataLoader.Answer, _ request: Int, in run: Run) async {
        switch answer {
        case .received(let received):
            store.complete(received.bytes)
            await run.batches.add(.received(received, request: request))
        case .notModified(let confirmed): await run.batches.add(.notModified(confirmed, request: request))
        }
    }

    /// Moves the images of a failed request on to their next URLs, and has a permanent failure remembered.
    private func take(
        _ error: FeedError, of image: ImageUnderWay, _ start: RequestScheduler.Start, in run: Run
    ) async {
        image.sink.discard()
        let url = image.wanted.url
        let consequences = run.images.fail(start.number, error)
        if let next = consequences.next {
            run.images.putBack(next, start.number)
            scheduler.move(start, to: next.fetch.origin, image.fetch.signal)
        } else {
            scheduler.finish(start, image.fetch.signal)
            run.results.answered()
        }
        run.results.failed(consequences.failed)
        guard PermanentFailures.isRemembered(error, of: url) else { return }
        await run.batches.add(
            .failed(
                ImageFailure(url: url, error: error, failedAt: remote.now(), feeds: consequences.feeds)))
    }
}
