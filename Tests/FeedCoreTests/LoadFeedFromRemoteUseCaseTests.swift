import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Load feed from remote")
struct LoadFeedFromRemoteUseCaseTests {
    private let url: ResourceURL
    private let feed: Feed

    init() throws {
        url = try Samples.url("https://feeds.example/feed.json")
        feed = try Samples.feed()
    }

    private func loader(_ client: ScriptedHTTPClient, _ decoder: some FeedDecoding) -> RemoteFeedLoader {
        RemoteFeedLoader(client: client, decoder: decoder, maxBytes: 1000)
    }

    @Test("downloads, validates and delivers the feed with what to recognise it by")
    func happy() async throws {
        let validators = Validators(etag: "\"a\"", lastModified: "Fri, 20 Nov 2026 00:00:00 GMT")
        let client = ScriptedHTTPClient { _ in .ok([1, 2, 3], validators: validators) }
        let decoder = StubDecoder(feed)
        let answer = try await loader(client, decoder).load(url)
        #expect(answer.content == .feed(feed, validators))
        #expect(client.requests == [HTTPRequest(url: url, maxBytes: 1000)])
        #expect(decoder.decoded == [[1, 2, 3]])
    }

    @Test("an empty list is a feed")
    func empty() async throws {
        let empty = Feed(format: .essential, images: [])
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        #expect(try await loader(client, StubDecoder(empty)).load(url).content == .feed(empty, Validators()))
    }

    @Test(
        "a status that is an answer, but not a feed, is invalid data",
        arguments: [201, 204, 206, 300, 301, 304, 305, 400, 401, 403, 404, 410, 418, 451, 600])
    func wrongStatus(status: Int) async throws {
        let client = ScriptedHTTPClient { _ in .status(status) }
        let error = await #expect(throws: FeedError.self) { try await loader(client, StubDecoder(feed)).load(url) }
        #expect(error?.kind == .invalidData)
        #expect(error?.status == status)
        #expect(error?.host == "feeds.example")
        #expect(error?.message.contains("\(status)") == true)
    }

    @Test(
        "a status of a server that can't serve now is a failure to connect",
        arguments: [408, 425, 429, 500, 502, 503, 504, 599])
    func passingStatus(status: Int) async throws {
        let client = ScriptedHTTPClient { _ in .status(status) }
        let error = await #expect(throws: FeedError.self) { try await loader(client, StubDecoder(feed)).load(url) }
        #expect(error?.kind == .connectivity)
        #expect(error?.status == status)
    }

    @Test("a body that is no feed is the decoder's error")
    func undecodable() async throws {
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        let wrong = FeedError.invalidData("items[3].image: not an http(s) URL")
        await #expect(throws: wrong) { try await loader(client, StubDecoder(failingWith: wrong)).load(url) }
    }

    @Test("a failure of the client is reported with the client's error")
    func connectivity() async throws {
        let cut = FeedError.connectivity("cut off", host: "feeds.example")
        let client = ScriptedHTTPClient { _ in .failure(cut) }
        await #expect(throws: cut) { try await loader(client, StubDecoder(feed)).load(url) }
    }

    @Test("asked with validators, the server may answer that nothing changed")
    func notModified() async throws {
        let old = Validators(etag: "\"old\"")
        let client = ScriptedHTTPClient { _ in .status(304) }
        #expect(try await loader(client, StubDecoder(feed)).load(url, validators: old).content == .notModified(old))
        #expect(client.requests.map(\.validators) == [old])
    }

    @Test(
        "a 304 renews the validators that it names, and leaves the others, unless it is of another version",
        arguments: [
            (Validators(), old), (Validators(lastModified: "new"), Validators(etag: "\"old\"", lastModified: "new")),
            (Validators(etag: "\"old\""), old), (Validators(etag: "\"old\"", lastModified: "new"), changed),
            (Validators(etag: "W/\"old\""), Validators(etag: "W/\"old\"", lastModified: "old")),
            (Validators(etag: "\"new\""), old), (Validators(etag: "\"new\"", lastModified: "new"), old),
        ])
    func renewedValidators(_ named: Validators, _ expected: Validators) async throws {
        let client = ScriptedHTTPClient { _ in .status(304, validators: named) }
        let answer = try await loader(client, StubDecoder(feed)).load(url, validators: Self.old)
        #expect(answer.content == .notModified(expected))
    }

    static let old = Validators(etag: "\"old\"", lastModified: "old")
    static let changed = Validators(etag: "\"old\"", lastModified: "new")

    @Test("cancelled while the answer comes, it delivers neither feed nor error of its own")
    func cancelled() async throws {
        let decoder = StubDecoder(feed)
        let client = ScriptedHTTPClient { _ in .ok([1]).after { withUnsafeCurrentTask { $0?.cancel() } } }
        let task = Task { [url] in try await loader(client, decoder).load(url) }
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(decoder.decoded.isEmpty)
    }

    @Test("a person's secrets go along to the feed's origin, and are the terms of its images")
    func secrets() async throws {
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        let named = try Samples.url("https://ann:pw@feeds.example/feed.json")
        let identity = OwnCredentials(headers: ["X-Key: 1"], usesNetrc: true)
        let remote = RemoteFeedLoader(client: client, decoder: StubDecoder(feed), maxBytes: 9, identity: identity)
        let answer = try await remote.load(named)
        let expected = Secrets(
            origin: "https://feeds.example:443", headers: ["X-Key: 1"], credentials: "ann:pw", usesNetrc: true)
        #expect(client.requests.map(\.secrets) == [expected])
        #expect(client.requests.map(\.addresses) == [.any])
        #expect(answer.imageTerms.secrets == expected)
    }

    @Test(
        "a feed from a public address may name images at public ones alone, one from a private address any",
        arguments: [200, 304])
    func addresses(status: Int) async throws {
        let answer = ScriptedHTTPClient.Answer.status(status)
        let old = Validators(etag: "\"old\"")
        let fromPublic = ScriptedHTTPClient { _ in answer }
        let fromPrivate = ScriptedHTTPClient { _ in answer.fromPrivateAddress() }
        func scope(_ client: ScriptedHTTPClient, allowsPrivate: Bool = false) async throws -> AddressScope {
            let remote = RemoteFeedLoader(
                client: client, decoder: StubDecoder(feed), maxBytes: 9, allowsPrivate: allowsPrivate)
            return try await remote.load(url, validators: old).imageTerms.addresses
        }
        #expect(try await scope(fromPublic) == .publicOnly)
        #expect(try await scope(fromPrivate) == .any)
        #expect(try await scope(fromPublic, allowsPrivate: true) == .any)
    }

    @Test("a local feed may name images anywhere")
    func localFeed() async throws {
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        let remote = RemoteFeedLoader(
            client: client, decoder: StubDecoder(feed), maxBytes: 9, identity: OwnCredentials(headers: ["X-Key: 1"]))
        let terms = try await remote.load(ResourceURL(filePath: "/feed.json")).imageTerms
        #expect(terms.secrets == nil)
        #expect(terms.addresses == .any)
    }
}
