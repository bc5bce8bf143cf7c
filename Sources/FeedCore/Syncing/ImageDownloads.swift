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

    private let remote: RemoteImageDataLoader
    private let store: any ImageStore
    private let stage: ImageSink.Stage
    private let window: Window
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(
        remote: RemoteImageDataLoader, store: any ImageStore, window: Window, now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.remote = remote
        self.store = store
        stage = { () throws(FeedError) in try store.stage() }
        self.window = window
        self.now = now
        self.sleep = sleep
    }

    /// The feeds of a host come before its images. One that hangs must not keep those of all others waiting for ever: it
    /// might as well be the host that is silent, which nobody can tell before something else of it is asked for.
    private static let longestHold = Duration.seconds(3)
    /// Besides those that are in flight, so many may wait for their next try.
    private static let mostPausing = 64

    /// Has these; their URLs are distinct.
    package func run(_ images: [Wanted], events: SyncEvents?) async -> Outcome {
        let (news, end) = AsyncStream.makeStream(of: News.self)
        end.yield(.wanted(images))
        end.finish()
        return await run(news, holding: [], events: events)
    }

    private struct Run {
        let lanes: DownloadLanes
        let mostLanes: Int
        let ledger: DownloadLedger
        let batches: ImageBatches
    }

    /// Has images while others are still to come. Those at `origins` wait until they are released, though not long.
    package func run(
        _ news: AsyncStream<News>, holding origins: Set<String>, events: SyncEvents?
    ) async -> Outcome {
        // Each has a file, with another of an earlier image on its way to disk, and a connection.
        let most = max(1, store.mostStaged / 3)
        let lanes = DownloadLanes(
            DownloadQueue(jobs: min(window.jobs, most), perHost: window.perHost, holding: origins))
        let ledger = DownloadLedger(of: lanes, events: events)
        let run = Run(
            lanes: lanes, mostLanes: min(window.jobs + Self.mostPausing, most), ledger: ledger,
            batches: ImageBatches(store: store, lanes: lanes, ledger: ledger, sleep: sleep))
        let hold = origins.isEmpty ? nil : endHold(of: lanes)
        defer { hold?.cancel() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await have(news, in: run)
                } onCancel: {
                    lanes.stop()
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
        outcome.report.failures = lanes.inOrder(outcome.report.failures)
        return outcome
    }

    private func endHold(of lanes: DownloadLanes) -> Task<Void, Never> {
        Task { [sleep] in
            do {
                try await sleep(Self.longestHold)
            } catch {
                return  // Cancelled: all is done.
            }
            lanes.releaseAll()
        }
    }

    /// Starts as many lanes as there is work for.
    private func have(_ news: AsyncStream<News>, in run: Run) async {
        await withTaskGroup(of: Void.self) { lanes in
            var laneCount = 0
            for await piece in news {
                switch piece {
                case .failure(let error): run.ledger.stop(error)
                case .released(let origin): run.lanes.release(origin)
                case .wanted(let images):
                    let wantedLanes = max(laneCount, min(run.mostLanes, run.lanes.add(images)))
                    for lane in laneCount..<wantedLanes {
                        let role: LaneRole = lane < window.jobs ? .regular : .standIn
                        run.batches.addJob()
                        lanes.addTask { await runLane(role, in: run) }
                    }
                    laneCount = wantedLanes
                }
            }
            run.lanes.complete()
        }
    }

    private func runLane(_ role: LaneRole, in run: Run) async {
        while let (number, wanted) = await run.lanes.next(for: role) {
            let pausing: ImageSink.Pausing = { try await run.lanes.pausing(number, $0, $1) }
            do {
                let result = try await ask(for: wanted, pausing: pausing)
                run.lanes.ended(number, for: role)
                run.ledger.answered()
                await run.batches.add(result)
            } catch {
                run.lanes.ended(number, for: role)
                run.ledger.answered()
                run.ledger.failed(wanted.url, error)
                guard PermanentFailures.isRemembered(error, of: wanted.url) else { continue }
                await run.batches.add(.failed(ImageFailure(url: wanted.url, error: error, failedAt: now())))
            }
        }
    }

    private func ask(
        for wanted: Wanted, pausing: @escaping ImageSink.Pausing
    ) async throws(FeedError) -> ImageResult {
        let answer = try await remote.receive(
            wanted.url, validators: wanted.validators, on: wanted.terms, pausing: pausing, into: stage)
        switch answer {
        case .received(let received):
            store.complete(received.bytes)
            return .received(
                ReceivedImage(
                    url: wanted.url, bytes: received.bytes, size: received.size, type: received.type,
                    validators: received.validators, fetchedAt: now()))
        case .notModified(let validators):
            return .notModified(ConfirmedImage(url: wanted.url, validators: validators, confirmedAt: now()))
        }
    }
}
