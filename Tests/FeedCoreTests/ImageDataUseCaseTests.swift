import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Load and save image data in the cache")
struct LocalImageDataUseCaseTests {
    private let store = InMemoryImageStore()
    private let url: ResourceURL
    private let data = ImageData(bytes: Samples.png, type: .png, validators: Validators(etag: "\"a\""))

    init() throws { url = try Samples.url("https://images.example/1.png") }

    private var local: LocalImageDataLoader {
        LocalImageDataLoader(store: store, now: { Timestamp(microseconds: 5) })
    }

    @Test("delivers what was saved")
    func found() async throws {
        try await local.save(data, for: url, of: [.first])
        #expect(try await local.load(url) == data)
    }

    @Test("an unknown URL is not found")
    func unknown() async throws {
        let error = await #expect(throws: FeedError.self) { try await local.load(url) }
        #expect(error?.kind == .notFound)
    }

    @Test("a read error is one of storage", arguments: [InMemoryImageStore.Message.find, .data])
    func readError(message: InMemoryImageStore.Message) async throws {
        try await local.save(data, for: url, of: [.first])
        store.fail(message)
        let error = await #expect(throws: FeedError.self) { try await local.load(url) }
        #expect(error?.kind == .storage(.failed))
    }

    @Test("cancelled, it delivers nothing")
    func cancelled() async throws {
        try await local.save(data, for: url, of: [.first])
        let task = Task { [local, url] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await local.load(url)
        }
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
    }

    @Test("a save that fails is one of storage", arguments: [InMemoryImageStore.Message.stage, .append, .publish])
    func saveError(message: InMemoryImageStore.Message) async throws {
        store.fail(message)
        let error = await #expect(throws: FeedError.self) { try await local.save(data, for: url, of: [.first]) }
        #expect(error?.kind == .storage(.failed))
    }

    @Test("a save that fails for the image alone is one of storage too")
    func saveErrorOfOne() async throws {
        store.failPublishing(url)
        let error = await #expect(throws: FeedError.self) { try await local.save(data, for: url, of: [.first]) }
        #expect(error?.kind == .storage(.failed))
    }
}

@Suite("Load image data with fallback")
struct LoadImageDataWithFallbackUseCaseTests {
    private let store = InMemoryImageStore()
    private let url: ResourceURL

    init() throws { url = try Samples.url("https://images.example/1.png") }

    private func loader(_ client: ScriptedHTTPClient, failure: FeedError? = nil) -> ImageDataLoaderWithFallback {
        ImageDataLoaderWithFallback(
            loadSaved: local.load, remote: RemoteImageDataLoader(client: client, maxBytes: 100)
        ) { [local] data, url, _ throws(FeedError) in
            if let failure { throw failure }
            try await local.save(data, for: url, of: [.first])
            return true
        }
    }

    private var local: LocalImageDataLoader {
        LocalImageDataLoader(store: store, now: { Timestamp(microseconds: 5) })
    }

    private let server = ScriptedHTTPClient { _ in .ok(Samples.png("remote")) }

    @Test("delivers what is in the cache and asks nobody")
    func cached() async throws {
        try await local.save(ImageData(bytes: Samples.png, type: .png), for: url, of: [.first])
        #expect(try await loader(server).load(url).data.bytes == Samples.png)
        #expect(server.requests.isEmpty)
    }

    @Test("else delivers the server's and saves it")
    func remote() async throws {
        #expect(try await loader(server).load(url).data.bytes == Samples.png("remote"))
        #expect(try await local.load(url).bytes == Samples.png("remote"))
    }

    @Test("asks at public addresses first, and then at any, because the user names the image")
    func privateAddress() async throws {
        let client = ScriptedHTTPClient { request in
            guard request.addresses == .publicOnly else { return .ok(Samples.png) }
            return .failure(.invalidData("refused").at(.trusting))
        }
        #expect(try await loader(client).load(url).isSaved)
        #expect(client.requests.map(\.addresses) == [.publicOnly, .any])
    }

    @Test("delivers where nothing can be saved, and says why")
    func unsaved() async throws {
        let failure = FeedError.storage(.locked, "another run")
        let loaded = try await loader(server, failure: failure).load(url)
        #expect(loaded.data.bytes == Samples.png("remote"))
        #expect(loaded.saveFailure == failure)
        #expect(store.messages == [.find])
    }

    @Test("has damaged data anew")
    func damaged() async throws {
        try await local.save(ImageData(bytes: Samples.png, type: .png), for: url, of: [.first])
        try store.damage(url)
        #expect(try await loader(server).load(url).data.bytes == Samples.png("remote"))
        #expect(try await local.load(url).bytes == Samples.png("remote"))
    }

    @Test("delivers although saving fails, and says so")
    func saveFailure() async throws {
        store.fail(.publish)
        let loaded = try await loader(server).load(url)
        #expect(loaded.data.bytes == Samples.png("remote"))
        #expect(loaded.saveFailure?.kind == .storage(.failed))
    }

    @Test("names both causes when cache and server fail")
    func bothFail() async throws {
        store.fail(.find)
        let error = await #expect(throws: FeedError.self) {
            try await loader(ScriptedHTTPClient { _ in .status(503) }).load(url)
        }
        #expect(error?.kind == .connectivity)
        #expect(error?.message.contains("disk on fire") == true)
    }

    @Test("cancelled, it does not ask the server")
    func cancelled() async throws {
        let result = await Task { [url] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader(server).load(url)
        }.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(server.requests.isEmpty)
    }
}
