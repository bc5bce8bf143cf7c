import FeedCore
import TestDoubles
import TestSupport

/// The fixture of sync tests: stores in memory, and a scripted server.
struct SyncFixture {
    let feeds: InMemoryFeedStore
    let images: InMemoryImageStore
    static let now = Timestamp(microseconds: 1_774_744_200_000_000)

    init() {
        let cache = InMemoryCache()
        feeds = InMemoryFeedStore(cache)
        images = InMemoryImageStore(cache)
    }

    /// Makes a server that has feeds by the last part of their URL, and an image at every other URL.
    func server(
        _ answers: [String: ScriptedHTTPClient.Answer] = [:]
    ) -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            let name = String(request.url.text.split(separator: "/").last ?? "")
            if let answer = answers[name] { return answer }
            return name.hasSuffix(".json") ? .ok(Array(name.utf8)) : .ok(Samples.png(name))
        }
    }

    /// Makes a sync that loads as many feeds at once as there are jobs.
    ///
    /// `own` overrides `scope` for some feeds, and `limits` sets the size limit for the images of some.
    func sync(
        _ names: [String], on client: any HTTPClient, serving feed: Feed? = nil,
        as identity: OwnCredentials = OwnCredentials(),
        dryRun: Bool = false, jobs: Int = 4,
        scope: ImageScope = ImageScope(), own: [String: ImageScope] = [:], limits: [String: Int64] = [:],
        hoursLater hours: Int = 0, events: SyncEvents? = nil, newImages: NewImages? = nil
    ) async throws -> SyncReport {
        let now = Self.now + .seconds(3600 * hours)
        let decoder = try StubDecoder(feed ?? Samples.feed(3))
        let local = LocalFeedLoader(store: feeds, now: { now })
        func particulars(_ scope: ImageScope, maxImageBytes: Int64? = nil) -> FeedPolicy {
            let remote = RemoteFeedLoader(
                client: client, decoder: decoder, maxBytes: 1000, identity: identity,
                imageLimits: ImageLimits(maxBytes: maxImageBytes))
            return FeedPolicy(
                refresh: FeedRefresh(remote: remote, local: local, saves: !dryRun), maxAge: .standard, scope: scope)
        }
        let downloads = ImageDownloads(asking: client, store: images, jobs: jobs, now: { now })
        var others: [ResourceURL.Key: FeedPolicy] = [:]
        for (name, scope) in own { others[try feedURL(name).key] = particulars(scope) }
        for (name, limit) in limits { others[try feedURL(name).key] = particulars(scope, maxImageBytes: limit) }
        let sync = FeedSync(
            general: particulars(scope), particulars: others, local: local, images: images, downloads: downloads,
            now: { now }, dryRun: dryRun, feedsAtOnce: jobs, newImages: newImages)
        return await sync.run(try names.map(feedURL), events: events)
    }

    /// Returns a whole URL unchanged.
    func feedURL(_ name: String) throws -> ResourceURL {
        try Samples.url(name.contains("://") ? name : "https://feeds.example/\(name)")
    }

    func save(_ name: String, daysAgo: Int, images count: Int = 3) async throws {
        let saved = SavedFeed(
            url: try feedURL(name), feed: try Samples.feed(count), savedAt: Self.now + .seconds(-86_400 * daysAgo))
        try await feeds.change { change throws(FeedError) in try change.insert(saved) }
    }
}
