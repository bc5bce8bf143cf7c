import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Resuming")
struct ResumingTests {
    typealias Answer = ScriptedHTTPClient.Answer

    private let clock = ManualClock()
    private let body = RecordedBody()
    private static let whole = Array(UInt8(0)..<100)
    private static let cutOff = FeedError.connectivity("cut off", host: "a.example").at(.transferring)
    private static let strong = Validators(etag: "\"v1\"", lastModified: "Fri, 20 Nov 2026 00:00:00 GMT")

    private static func begun(_ count: Int = 40, _ validators: Validators = strong) -> Answer {
        .ok(Array(whole[..<count]), validators: validators).cutOff(by: cutOff)
    }

    private static func rest(from first: Int, to end: Int = 100) -> Answer {
        .rest(Array(whole[first..<end]), from: first, of: 100)
    }

    /// Gives one response per attempt.
    ///
    /// The last one repeats.
    private func get(
        _ answers: [Answer], maxBytes: Int64 = 1000, retries: Int = 3
    ) async throws -> (HTTPResponse, asked: [RestOfBody?]) {
        let client = ScriptedHTTPClient { _, earlier in answers[min(earlier, answers.count - 1)] }
        let request = HTTPRequest(url: try Samples.url("https://a.example/1.png"), maxBytes: maxBytes)
        let response = try await retrying(client, retries: retries).get(request, into: body)
        return (response, client.requests.map(\.rest))
    }

    private func retrying(_ client: any HTTPClient, retries: Int) -> Fetcher {
        Fetcher(
            asking: client, rules: FetchRules(retry: RetryPolicy(retries: retries)),
            clockwork: TimeSource(
                uptime: { clock.now }, random: { 0.5 }, sleep: { clock.sleep($0) }))
    }

    private func rest(_ offset: Int64) -> RestOfBody { RestOfBody(offset: offset, validator: "\"v1\"") }

    @Test("A body that broke off is resumed, and reaches the sink as one body")
    func resumed() async throws {
        let (response, asked) = try await get([Self.begun(), Self.rest(from: 40)])
        #expect(asked == [nil, rest(40)])
        #expect(body.calls == [.begin(200), .receive(40), .receive(60)])
        #expect(body.bytes == Self.whole)
        #expect(response.head == HTTPHead(status: 200, validators: Self.strong))
        #expect(response.bodyBytes == 100)
    }

    @Test("A decoded body starts over, because its offsets differ from the server's")
    func decoded() async throws {
        var begun = Self.begun()
        begun.head.isContentEncoded = true
        let (_, asked) = try await get([begun, .ok(Self.whole, validators: Self.strong)])
        #expect(asked == [nil, nil])
        #expect(body.bytes == Self.whole)
    }

    @Test("An image that starts over consists of the second body only", arguments: [Validators(), strong])
    func startedOver(validators: Validators) async throws {
        let begun = Answer.ok(Samples.png + [1, 2, 3], validators: validators).cutOff(by: Self.cutOff)
        let answers = [begun, .ok(Samples.png + [4, 5], validators: validators)]
        let client = ScriptedHTTPClient { _, earlier in answers[min(earlier, 1)] }
        let loader = RemoteImageDataLoader(client: retrying(client, retries: 1), maxBytes: 1000)
        let image = try await loader.load(try Samples.url("https://a.example/1.png"))
        #expect(image.bytes == Samples.png + [4, 5])
    }

    @Test("A body may break off repeatedly, and a busy response in between loses nothing")
    func resumedTwice() async throws {
        let (response, asked) = try await get([
            Self.begun(), Self.rest(from: 40, to: 70).cutOff(by: Self.cutOff), .status(503), Self.rest(from: 70),
        ])
        #expect(asked == [nil, rest(40), rest(70), rest(70)])
        #expect(body.calls == [.begin(200), .receive(40), .receive(30), .receive(30)])
        #expect(body.bytes == Self.whole)
        #expect(response.bodyBytes == 100)
    }

    @Test("A server that sends the rest in parts is asked for each part")
    func parts() async throws {
        let (response, asked) = try await get([Self.begun(), Self.rest(from: 40, to: 60), Self.rest(from: 60)])
        #expect(asked == [nil, rest(40), rest(60)])
        #expect(body.bytes == Self.whole)
        #expect(response.bodyBytes == 100)
    }

    @Test("A body that stays incomplete is a failure, never a whole image")
    func partsWithoutEnd() async throws {
        let error = await #expect(throws: FeedError.self) {
            try await get([Self.begun(), Self.rest(from: 40, to: 41)], retries: 1)
        }
        #expect(error?.kind == .connectivity)
        #expect(error?.host == "a.example")
        #expect(error?.message.contains("41 of 100 bytes") == true)
    }

    @Test("A body that has changed starts over")
    func changed() async throws {
        let new = Answer.ok([9, 9], validators: Validators(etag: "\"v2\""))
        let (response, asked) = try await get([Self.begun(), new])
        #expect(asked == [nil, rest(40)])
        #expect(body.calls == [.begin(200), .receive(40), .begin(200), .receive(2)])
        #expect(body.bytes == [9, 9])
        #expect(response.head.validators.etag == "\"v2\"")
        #expect(response.bodyBytes == 2)
    }

    @Test(
        "A rest that does not fit is discarded, and the whole body is requested at once",
        arguments: [
            Answer.part([1], nil), .part([1], ""), .part([1], "bytes 0-99/100"), .part([1], "bytes 39-99/100"),
            .part([1], "bytes 41-99/100"), .part([1], "bytes 40-99/*"), .part([1], "bytes 40-100/100"),
            .part([1], "bytes */100"), .part([1], "bytes 40-39/100"), .part([1], "items 40-99/100"), .status(416),
            .part([1], "bytes 40-99/100, 40-99/100"), .part([1], "bytes +40-99/100"),
            .part([1], "bytes 40-99999999999999999999/99999999999999999999"),
        ])
    func startOver(answer: Answer) async throws {
        let (response, asked) = try await get([Self.begun(), answer, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), nil])
        #expect(clock.sleeps == [.milliseconds(250)])
        #expect(body.calls == [.begin(200), .receive(40), .begin(200), .receive(100)])
        #expect(response.bodyBytes == 100)
    }

    @Test("A request that has started over never asks for a rest again")
    func startOverOnce() async throws {
        let answers = [Self.begun(), .status(416), Self.begun(50), .ok(Self.whole)]
        #expect(try await get(answers).asked == [nil, rest(40), nil, nil])
    }

    @Test("A body whose total differs from the total of an earlier part starts over")
    func otherTotal() async throws {
        let part = Self.rest(from: 40, to: 70).cutOff(by: Self.cutOff)
        let other = Answer.rest([1], from: 70, of: 71)
        let (_, asked) = try await get([Self.begun(), part, other, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), rest(70), nil])
        #expect(body.bytes == Self.whole)
    }

    @Test(
        "A rest without the same strong entity tag makes the body start over",
        arguments: [nil, "\"v2\"", "W/\"v1\"", "v1"])
    func otherVersion(etag: String?) async throws {
        let other = Answer.rest([UInt8](repeating: 7, count: 60), from: 40, of: 100, etag: etag)
        let (response, asked) = try await get([Self.begun(), other, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), nil])
        #expect(body.bytes == Self.whole)
        #expect(response.bodyBytes == 100)
    }

    @Test(
        "A rest that is encoded or has several parts is discarded",
        arguments: [(true, nil), (false, "Multipart/ByteRanges; boundary=x")])
    func otherForm(isEncoded: Bool, type: String?) async throws {
        var other = Self.rest(from: 40)
        other.head.isContentEncoded = isEncoded
        other.head[.contentType] = type
        let (_, asked) = try await get([Self.begun(), other, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), nil])
        #expect(body.bytes == Self.whole)
    }

    @Test("A body whose total differs from the first announced length starts over", arguments: [99, 101])
    func otherLength(total: Int) async throws {
        var begun = Self.begun()
        begun.head[.contentLength] = "100"
        let other = Answer.rest([UInt8](repeating: 7, count: total - 40), from: 40, of: total)
        let (_, asked) = try await get([begun, other, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), nil])
        #expect(body.bytes == Self.whole)
    }

    @Test("A length announced by a response without a body does not count for the next response")
    func lengthOfAnother() async throws {
        var first = Answer.ok([], validators: Self.strong).cutOff(by: Self.cutOff)
        first.head[.contentLength] = "50"
        let (_, asked) = try await get([first, Self.begun(), Self.rest(from: 40)])
        #expect(asked == [nil, nil, rest(40)])
        #expect(body.bytes == Self.whole)
    }

    @Test("A rest with more bytes than its range announces is discarded")
    func tooManyBytes() async throws {
        let long = Answer.part([UInt8](repeating: 7, count: 61), "bytes 40-99/100")
        let (response, asked) = try await get([Self.begun(), long, .ok(Self.whole)])
        #expect(asked == [nil, rest(40), nil])
        #expect(body.bytes == Self.whole)
        #expect(response.bodyBytes == 100)
    }

    @Test(
        "A body without a strong entity tag starts over",
        arguments: [
            Validators(), Validators(lastModified: "Fri, 20 Nov 2026 00:00:00 GMT"), Validators(etag: "W/\"v1\""),
            Validators(etag: "v1"), Validators(etag: "\""), Validators(etag: ""),
        ])
    func weak(validators: Validators) async throws {
        let (_, asked) = try await get([Self.begun(40, validators), .ok(Self.whole)])
        #expect(asked == [nil, nil])
        #expect(body.bytes == Self.whole)
    }

    @Test("A body that broke off before its first byte is requested whole")
    func nothingThere() async throws {
        #expect(try await get([Self.begun(0), .ok(Self.whole)]).asked == [nil, nil])
    }

    @Test("A 206 to a request for the whole body is an ordinary response")
    func unasked() async throws {
        let (response, _) = try await get([Self.rest(from: 40)])
        #expect(response.head.status == 206)
        #expect(body.calls == [.begin(206)])
    }

    @Test("The limit on bytes applies to the whole body", arguments: [(Int64(100), true), (99, false)])
    func limit(maxBytes: Int64, fits: Bool) async throws {
        let answers = [Self.begun(), Self.rest(from: 40)]
        guard !fits else {
            #expect(try await get(answers, maxBytes: maxBytes).0.bodyBytes == 100)
            return
        }
        let error = await #expect(throws: FeedError.self) { try await get(answers, maxBytes: maxBytes) }
        #expect(error == .larger(than: 99, host: "a.example").at(.transferring))
    }

    @Test("A rest that is longer than announced is stopped at the limit on bytes")
    func lyingRest() async throws {
        let long = Answer.part([UInt8](repeating: 7, count: 500), "bytes 40-99/100")
        let error = await #expect(throws: FeedError.self) { try await get([Self.begun(), long], maxBytes: 200) }
        #expect(error?.kind == .invalidData)
    }

    @Test("A body that is finally replaced by an error status gives that response", arguments: [404, 503])
    func otherEnd(status: Int) async throws {
        let (response, _) = try await get([Self.begun(), .status(status)], retries: 1)
        #expect(response.head.status == status)
        #expect(body.calls == [.begin(200), .receive(40), .begin(status)])
    }
}
