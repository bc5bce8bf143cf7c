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
        /// Of the data that is in the cache; with them the server is asked whether it has changed.
        package let validators: Validators
        package let terms: RequestTerms

        package init(
            _ url: ResourceURL, validators: Validators = Validators(), on terms: RequestTerms = RequestTerms()
        ) {
            self.url = url
            self.validators = validators
            self.terms = terms
        }
    }

    /// By the way of a request's terms.
    private let remotes: [RemoteImageDataLoader]
    private let store: any ImageStore
    private let window: Window
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(
        remote: RemoteImageDataLoader, others: [RemoteImageDataLoader] = [], store: any ImageStore, window: Window,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        remotes = [remote] + others
        self.store = store
        self.window = window
        self.now = now
        self.sleep = sleep
    }

    package struct Outcome: Sendable {
        package var report = ImagesReport()
        /// What ended the downloads early: the store itself failed.
        package var fatal: FeedError?
    }

    /// Has these; their URLs are distinct.
    package func run(_ images: [Wanted], events: SyncEvents?) async -> Outcome {
        let (all, more) = AsyncStream.makeStream(of: Result<[Wanted], FeedError>.self)
        more.yield(.success(images))
        more.finish()
        return await run(all, events: events)
    }

    /// Has those that are there while others are still to come; all their URLs are distinct. A failure in their place
    /// ends the run, as one of the store does.
    package func run(
        _ images: AsyncStream<Result<[Wanted], FeedError>>, events: SyncEvents?
    ) async -> Outcome {
        let ledger = DownloadLedger(
            queue: DownloadQueue(jobs: window.jobs, perHost: window.perHost), events: events)
        let batches = ImageBatches(store: store, ledger: ledger, sleep: sleep)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await have(images, ledger, batches) }
            // When the store fails, a lane may be waiting for a server that doesn't answer.
            group.addTask { await ledger.untilStopped() }
            // Whichever ends first ends the other.
            await group.next()
            group.cancelAll()
        }
        await batches.finish()
        return ledger.outcome
    }

    /// Starts as many lanes as there is work for.
    private func have(
        _ images: AsyncStream<Result<[Wanted], FeedError>>, _ ledger: DownloadLedger, _ batches: ImageBatches
    ) async {
        await withTaskGroup(of: Void.self) { lanes in
            let executors = remotes[0].executors
            var laneCount = 0
            for await more in images {
                switch more {
                case .failure(let error): ledger.stop(error)
                case .success(let more):
                    let wantedLanes = min(window.jobs, ledger.add(more))
                    for lane in laneCount..<max(laneCount, wantedLanes) {
                        let executor = executors.isEmpty ? nil : executors[lane % executors.count]
                        batches.addJob()
                        lanes.addTask(executorPreference: executor) { await runLane(ledger, batches) }
                    }
                    laneCount = max(laneCount, wantedLanes)
                }
            }
            ledger.complete()
        }
    }

    /// It may end while others go on: whatever it leaves waits for a host that is busy, and goes to the lane that frees
    /// it.
    private func runLane(_ ledger: DownloadLedger, _ batches: ImageBatches) async {
        while !Task.isCancelled, let (number, wanted) = await ledger.next() {
            do {
                let result = try await ask(for: wanted)
                ledger.ended(number)
                await batches.add(result)
            } catch {
                ledger.ended(number)
                ledger.failed(wanted.url, error)
                guard PermanentFailures.isRemembered(error, of: wanted.url) else { continue }
                await batches.add(.failed(ImageFailure(url: wanted.url, error: error, failedAt: now())))
            }
        }
    }

    private func ask(for wanted: Wanted) async throws(FeedError) -> ImageResult {
        let answer = try await remotes[wanted.terms.way].receive(
            wanted.url, validators: wanted.validators, on: wanted.terms
        ) {
            [store] () throws(FeedError) in try store.stage()
        }
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
