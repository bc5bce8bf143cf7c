import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Load image data from remote")
struct LoadImageDataFromRemoteUseCaseTests {
    private let url: ResourceURL

    init() throws { url = try Samples.url("https://images.example/1.png") }

    private func load(_ answer: ScriptedHTTPClient.Answer) async throws -> ImageData {
        let client = ScriptedHTTPClient { _ in answer }
        return try await RemoteImageDataLoader(client: client, maxBytes: 100).load(url)
    }

    @Test("delivers the bytes of an image with its type and validators")
    func happy() async throws {
        let validators = Validators(etag: "\"a\"")
        let data = try await load(.ok(Samples.png, validators: validators))
        #expect(data == ImageData(bytes: Samples.png, type: .png, validators: validators))
    }

    @Test("delivers chunks as one, in order")
    func chunks() async throws {
        var answer = ScriptedHTTPClient.Answer.ok([])
        answer.body = [Samples.png, [5, 6], [7]]
        #expect(try await load(answer).bytes == Samples.png + [5, 6, 7])
    }

    @Test(
        "a body that is not an image is invalid data",
        arguments: [
            ([], "empty"), (Array("<!DOCTYPE html><html>".utf8), "web page"), (Array("hello".utf8), "known type"),
            ([0xFF], "known type"), (Array("\0\u{1}<a".utf8), "known type"), (Array("a < b".utf8), "known type"),
            (Array("\u{FEFF}\r\n <p>".utf8), "web page"), ([0xFF, 0xFE, 0x3C, 0], "web page"),
        ])
    func noImage(body: [UInt8], reason: String) async throws {
        let error = await #expect(throws: FeedError.self) { try await load(.ok(body)) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.contains(reason) == true)
        #expect(error?.host == "images.example")
    }

    @Test("another status is invalid data, even with an image for a body", arguments: [204, 206, 304, 403, 404, 410])
    func wrongStatus(status: Int) async throws {
        var page = ScriptedHTTPClient.Answer.status(status)
        page.body = [Samples.png]
        let answer = page
        let error = await #expect(throws: FeedError.self) { try await load(answer) }
        #expect(error?.kind == .invalidData)
        #expect(error?.status == status)
    }

    @Test("a server that can't serve now is a failure to connect", arguments: [408, 425, 429, 500, 503])
    func passingStatus(status: Int) async throws {
        let error = await #expect(throws: FeedError.self) { try await load(.status(status)) }
        #expect(error?.kind == .connectivity)
    }

    @Test("fewer bytes than announced are the client's error")
    func cutOff() async throws {
        let cut = FeedError.connectivity("cut off")
        await #expect(throws: cut) { try await load(.failure(cut)) }
    }

    @Test("cancelled, it delivers neither data nor error of its own")
    func cancelled() async throws {
        let answer = ScriptedHTTPClient.Answer.ok(Samples.png).after { withUnsafeCurrentTask { $0?.cancel() } }
        let result = await Task { try await load(answer) }.result
        #expect(throws: FeedError.cancelled) { try result.get() }
    }

    @Test("asks on the terms it is given, and without any for public addresses alone")
    func terms() async throws {
        let client = ScriptedHTTPClient { _ in .ok(Samples.png) }
        let loader = RemoteImageDataLoader(client: client, maxBytes: 100)
        let secrets = Secrets(origin: url.origin, headers: ["X-Key: 1"])
        _ = try await loader.load(url, on: RequestTerms(secrets: secrets, addresses: .any))
        _ = try await loader.load(url)
        #expect(client.requests.map(\.secrets) == [secrets, nil])
        #expect(client.requests.map(\.addresses) == [.any, .publicOnly])
    }

    @Test("asks for the data as it is: when it breaks off, the rest of what was compressed could not be asked for")
    func uncompressed() async throws {
        let client = ScriptedHTTPClient { _ in .ok(Samples.png) }
        _ = try await RemoteImageDataLoader(client: client, maxBytes: 100).load(url)
        #expect(client.requests.map(\.mayBeCompressed) == [false])
    }
}
