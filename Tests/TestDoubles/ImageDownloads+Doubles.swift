package import FeedCore

extension RemoteImageDataLoader {
    /// Makes downloads that ask a double or the client that a test has built on one.
    package init(
        client: any HTTPClient, maxBytes: Int64,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 0) }
    ) {
        self.init(fetcher: client as? Fetcher ?? Fetcher(asking: client), maxBytes: maxBytes, now: now)
    }
}

extension WantedImage {
    /// Makes an image of the first feed.
    package init(_ url: ResourceURL, validators: Validators = Validators()) {
        self.init(url, validators: validators, on: RequestTerms(feed: .first))
    }
}

extension ImageDownloads {
    /// Makes downloads with this fetcher, which has its own limits of jobs.
    package init(
        asking client: any HTTPClient, store: any ImageStore, jobs: Int, perHost: Int = 4, maxBytes: Int64 = 1000,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 0) },
        // A batch is published only when it is full or at the end, even on a slow machine.
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(86_400))
        }
    ) {
        let fetcher =
            client as? Fetcher ?? Fetcher(asking: client, rules: FetchRules(jobs: jobs, perHost: perHost))
        self.init(
            remote: RemoteImageDataLoader(fetcher: fetcher, maxBytes: maxBytes, now: now), store: store,
            sleep: sleep)
    }

    /// Downloads these images, whose URLs are distinct.
    package func run(_ images: [WantedImage], events: SyncEvents?) async -> DownloadOutcome {
        let (inputs, end) = AsyncStream.makeStream(of: DownloadInput.self)
        end.yield(.wanted(images))
        end.finish()
        return await run(inputs, events: events)
    }
}
