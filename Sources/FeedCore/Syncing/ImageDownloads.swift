/// Use case: have the data of many images, a bounded number at a time.
///
/// As many lanes as may be in flight each take an image, ask for it, and take the next: an image costs no task of its own. One
/// that has to wait goes back to where it came from.
package struct ImageDownloads: Sendable {
    /// What there is to do, as it becomes known.
    package enum News: Sendable {
        /// URLs of which none has come before.
        case wanted([WantedImage])
        /// This ends the run, as a failure of the store does.
        case failure(FeedError)
    }

    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let sleep: @Sendable (Duration) async throws -> Void
    private let mostBroken: Int

    private var traffic: Traffic { remote.fetcher.traffic }

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
        let ledger: DownloadLedger
        let batches: ImageBatches
    }

    /// Has images while others are still to come.
    package func run(
        _ news: AsyncStream<News>, events: SyncEvents?, newImages: NewImages? = nil
    ) async -> DownloadOutcome {
        let ledger = DownloadLedger(of: traffic, events: events)
        let run = Run(
            images: ImagesUnderWay(remote, store, mostBroken: mostBroken), ledger: ledger,
            batches: ImageBatches(
                store: store, traffic: traffic, ledger: ledger, newImages: newImages, sleep: sleep))
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
                    let wantedLanes = max(laneCount, min(traffic.jobs, run.images.add(images)))
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
                    end(start, image, in: run)
                    await take(answer, in: run)
                }
            } catch {
                let news = image.fetch.news
                if let elsewhere = image.wanted.elsewhere(after: error) {
                    image = run.images.turn(image, to: elsewhere)
                    run.images.putBack(image, start.number)
                    traffic.move(start, to: image.fetch.origin, news)
                } else {
                    end(start, image, in: run)
                    await take(error, of: image.wanted, in: run)
                }
            }
        }
    }

    private func end(_ start: Traffic.Start, _ image: ImageUnderWay, in run: Run) {
        traffic.ended(start, image.fetch.news)
        run.ledger.answered()
    }

    private func take(_ answer: RemoteImageDataLoader.Answer, in run: Run) async {
        switch answer {
        case .received(let received):
            store.complete(received.bytes)
            await run.batches.add(.received(received))
        case .notModified(let confirmed): await run.batches.add(.notModified(confirmed))
        }
    }

    /// It may still be had where a passing failure was the last.
    private func take(_ last: FeedError, of wanted: WantedImage, in run: Run) async {
        let error = wanted.failure ?? last
        run.ledger.failed(wanted.url, error)
        guard PermanentFailures.isRemembered(last, of: wanted.url) else { return }
        await run.batches.add(.failed(ImageFailure(url: wanted.url, error: error, failedAt: remote.now())))
    }
}
