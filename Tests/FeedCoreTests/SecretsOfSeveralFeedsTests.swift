import FeedCore
import TestSupport
import Testing

@Suite("An image that is named with a password, and without")
struct SecretsOfSeveralFeedsTests {
    private let fixture = SyncFixture()
    private static let here = "https://feeds.example"
    private static let withPassword = "https://u:p@feeds.example"

    /// A server that has the image for those alone who say who they are.
    private func server() -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            guard request.url.text.hasSuffix(".png") else { return .ok([1]) }
            let credentials = request.url.credentials ?? request.secretsToSend?.credentials
            return credentials == "u:p" ? .ok(Samples.png) : .status(401)
        }
    }

    private func feed(of urls: String...) throws -> Feed {
        let images = try urls.enumerated().map { FeedImage(id: "\($0)", url: try Samples.url($1)) }
        return Feed(format: .essential, images: images)
    }

    @Test("is had, whichever way it is named first", arguments: [[here, withPassword], [withPassword, here]])
    func inItsURL(beginnings: [String]) async throws {
        let feed = try feed(of: beginnings[0] + "/x.png", beginnings[1] + "/x.png")
        let client = server()
        let report = try await fixture.sync(["a.json"], on: client, serving: feed)
        #expect(report.images.downloaded == 1)
        #expect(report.images.failures == [])
        #expect(report.images.total == 1)
        #expect(client.requests.count == (beginnings[0] == Self.here ? 3 : 2))
    }

    @Test("is had by any of the passwords, and asked for once where they are the same")
    func severalPasswords() async throws {
        let names = [Self.here, "https://u:bad@feeds.example", Self.withPassword].map { $0 + "/x.png" }
        let client = server()
        let several = try feed(of: names[0], names[1], names[2])
        #expect(try await fixture.sync(["a.json"], on: client, serving: several).images.downloaded == 1)
        #expect(client.requests.count == 4)

        let same = try feed(of: names[1], names[1], names[1])
        let again = server()
        #expect(try await SyncFixture().sync(["a.json"], on: again, serving: same).images.failed == 1)
        #expect(again.requests.count == 2)
    }

    @Test("is had though it was refused in a run that didn't know the password", arguments: [true, false])
    func refusedBefore(isNamedWithPassword: Bool) async throws {
        let alone = try feed(of: Self.here + "/x.png")
        #expect(try await fixture.sync(["a.json"], on: server(), serving: alone).images.failed == 1)
        let both = try feed(of: Self.here + "/x.png", (isNamedWithPassword ? Self.withPassword : Self.here) + "/x.png")
        let feeds = ["\(Self.here)/a.json", "\(isNamedWithPassword ? Self.here : Self.withPassword)/b.json"]
        // One feed at a time, so that they come in this order.
        let report = try await fixture.sync(feeds, on: server(), serving: both, jobs: 1)
        #expect(report.images.downloaded == 1)
        #expect(report.images.skipped == 0)
        #expect(report.images.failures == [])
    }
}
