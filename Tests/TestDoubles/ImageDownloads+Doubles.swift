package import FeedCore

extension RemoteImageDataLoader {
    /// Asks a double, or what a test has made of one.
    package init(
        client: any HTTPClient, maxBytes: Int64,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 0) }
    ) {
        self.init(fetcher: client as? Fetcher ?? Fetcher(asking: client), maxBytes: maxBytes, now: now)
    }
}

extension ImageDownloads {
    /// A fetcher has its own numbers of jobs.
    package init(
        asking client: any HTTPClient, store: any ImageStore, jobs: Int, perHost: Int = 4, maxBytes: Int64 = 1000,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 0) },
        // No batch is sent off because the machine is slow.
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(86_400))
        }
    ) {
        let fetcher =
            client as? Fetcher ?? Fetcher(asking: client, rules: FetchRules(jobs: jobs, perHost: perHost))
        self.init(
            remote: RemoteImageDataLoader(fetcher: fetcher, maxBytes: maxBytes, now: now), store: store,
            sleep: sleep)
    }

    /// Has these; their URLs are distinct.
    package func run(_ images: [WantedImage], events: SyncEvents?) async -> DownloadOutcome {
        let (inputs, end) = AsyncStream.makeStream(of: DownloadInput.self)
        end.yield(.wanted(images))
        end.finish()
        return await run(inputs, events: events)
    }
}
