import FeedCore

struct ShowCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        let delivery = try await open()
        let local = session.localFeeds(in: delivery.cache)
        let refresh = session.refresh(delivery.cache, with: try session.makeClient(), saves: delivery.saves)
        let loader = FeedLoaderWithFallback(refresh: refresh, local: local, maxAge: settings.maxAge)
        let loaded = try await load(url, with: loader)
        let text = try await rendered(ShownFeed(url: url, loaded: loaded), delivery.cache)
        try session.write(text)
        return reportSaving(of: url, loaded, delivery.problem)
    }

    private func open() async throws(FeedError) -> Session.Delivery {
        guard settings.offline else { return try await session.openForDelivery() }
        return Session.Delivery(cache: try await session.openCache(.read), saves: false, problem: nil)
    }

    private func load(
        _ url: ResourceURL, with loader: FeedLoaderWithFallback
    ) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        do {
            let loaded = settings.offline ? try await loader.loadOffline(url) : try await loader.load(url)
            if case .cache(let cause?) = loaded.source, let savedAt = loaded.savedAt {
                let age = Phrases.span(session.now() - savedAt)
                session.notice("\(url): showing the feed saved \(age) ago (\(cause.message))")
            }
            return loaded
        } catch let error where error.isCancellation {
            throw error
        } catch {
            throw error.about(url)
        }
    }

    private func rendered(_ shown: ShownFeed, _ cache: Cache) async throws(FeedError) -> String {
        guard settings.json else { return shown.text(now: session.now()) }
        return shown.json(try await cache.images.find(shown.loaded.feed.images.map(\.url)))
    }

    /// The feed was delivered; that it could not be saved is told, and is the run's result.
    private func reportSaving(
        of url: ResourceURL, _ loaded: FeedLoaderWithFallback.Loaded, _ problem: FeedError?
    ) -> ExitCode {
        var problem = problem
        if case .remote(let failure?) = loaded.source { problem = failure }
        guard let problem else { return .ok }
        session.report("\(url): not saved: \(problem.message)")
        return ExitCode.of(problem)
    }
}

extension FeedError {
    /// The same error, naming what it concerns.
    func about(_ url: ResourceURL) -> FeedError {
        FeedError(kind, "\(url): \(message)", status: status, host: host)
    }
}
