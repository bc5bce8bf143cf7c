/// Use case: have the data of many images, a bounded number at a time.
///
/// As many lanes as may be in flight each take an image, ask for it, and take the next: an image costs no task of its own. One
/// that has to wait goes back to where it came from.
package struct ImageDownloads: Sendable {
    /// What there is to do, as it becomes known.
    package enum News: Sendable {
        case wanted([WantedImage])
        /// This ends the run, as a failure of the store does.
        case failure(FeedError)
    }

    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let sleep: @Sendable (Duration) async throws -> Void
    private let mostBroken: Int

    private var traffic: RequestScheduler { remote.fetcher.traffic }

    package init(
        remote: RemoteImageDataLoader, store: any ImageStore,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.remote = remote
        self.store = store
        self.sleep = sleep
        mostBroken = min(64, store.mostStaged / Self.filesOfJob - remote.fetcher.traffic.jobs)
    }

    /// Its image's, the one before it on its way to disk, and a connection.
    private static let filesOfJob = 3

    /// The jobs that a run may have for this store: half of all files stay free for batches.
    package static func mostJobs(storing store: any ImageStore) -> Int {
        max(1, store.mostStaged / (2 * filesOfJob))
    }

    private struct Run {
        let images: ImagesUnderWay
        let ledger: DownloadResults
        let batches: ImageBatches
    }

    /// Has images while others are still to come.
    package func run(
        _ news: AsyncStream<News>, events: SyncEvents?, newImages: NewImages? = nil, inSeveralWays: Bool = false
    ) async -> DownloadOutcome {
        let ledger = DownloadResults(of: traffic, events: events, inSeveralWays: inSeveralWays)
        let images = ImagesUnderWay(remote, store, mostBroken: mostBroken)
        let run = Run(
            images: images, ledger: ledger,
            batches: ImageBatches(
                store: store, of: images, traffic: traffic, ledger: ledger, newImages: newImages, sleep: sleep))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await startLanes(for: news, in: run)
                } onCancel: {
                    traffic.stop()
                }
            }
            // When the store fails, a lane may be waiting for a server that doesn't answer.
            group.addTask { await ledger.untilStopped() }
            // Whichever ends first ends the other.
            await group.next()
            group.cancelAll()
        }
        await run.batches.finish()
        var outcome = ledger.outcome
        outcome.report.failures = run.images.inOrder(outcome.report.failures)
        return outcome
    }

    /// Starts as many lanes as there is work for, and waits for them.
    private func startLanes(for news: AsyncStream<News>, in run: Run) async {
        await withTaskGroup(of: Void.self) { lanes in
            var laneCount = 0
            for await piece in news {
                switch piece {
                case .failure(let error): run.ledger.stop(error)
                case .wanted(let images):
                    run.ledger.begin(images)
                    let failed = run.images.add(images)
                    for _ in failed { run.ledger.answered() }
                    run.ledger.failed(failed)
                    let wantedLanes = max(laneCount, min(traffic.jobs, run.images.count))
                    for _ in laneCount..<wantedLanes {
                        run.batches.addJob()
                        lanes.addTask { await runLane(in: run) }
                    }
                    laneCount = wantedLanes
                }
            }
            traffic.complete()
        }
    }

    private func runLane(in run: Run) async {
        while let start = await traffic.nextImage() {
            var image = run.images.take(start.number)
            do throws(FeedError) {
                switch try await remote.fetcher.attempt(&image.fetch) {
                case .again(let pause, let sparingHost):
                    run.images.putBack(image, start.number)
                    traffic.rest(start, for: pause, keepingPlace: sparingHost, image.fetch.news)
                case .elsewhere:
                    run.images.putBack(image, start.number)
                    traffic.move(start, to: image.fetch.origin, image.fetch.news)
                case .answered(let response):
                    let answer = try remote.answer(response, to: image.wanted, in: image.sink)
                    traffic.ended(start, image.fetch.news)
                    run.ledger.answered()
                    await take(answer, .init(request: start.number, circumstances: response.circumstances), in: run)
                }
            } catch {
                await take(error, of: image, start, in: run)
            }
        }
    }

    private func take(
        _ answer: RemoteImageDataLoader.Answer, _ ending: ImageResult.Ending, in run: Run
    ) async {
        switch answer {
        case .received(let received):
            store.complete(received.bytes)
            await run.batches.add(.received(received, ending))
        case .notModified(let confirmed): await run.batches.add(.notModified(confirmed, ending))
        }
    }

    /// The failure is remembered for its URL; the images go on at their next URLs.
    private func take(
        _ error: FeedError, of image: ImageUnderWay, _ start: RequestScheduler.Start, in run: Run
    ) async {
        image.sink.discard()
        let url = image.wanted.url
        let consequences = run.images.fail(start.number, error)
        if let next = consequences.next {
            run.images.putBack(next, start.number)
            traffic.move(start, to: next.fetch.origin, image.fetch.news)
        } else {
            traffic.ended(start, image.fetch.news)
            run.ledger.answered()
        }
        run.ledger.failed(consequences.failed)
        guard PermanentFailures.isRemembered(error, of: url) else { return }
        await run.batches.add(
            .failed(
                ImageFailure(
                    url: url, error: error, failedAt: remote.now(), recipients: consequences.recipients)))
    }
}
