import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Requests for public addresses", .timeLimit(.minutes(10)))
struct PrivateAddressTests {
    static func request(_ url: String) throws -> HTTPRequest {
        var request = try makeRequest(url)
        request.addresses = .publicOnly
        return request
    }

    @Test(
        "a request for public addresses is not sent to a private address",
        arguments: [("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1")])
    func refused(_ host: String, _ address: String) async throws {
        let server = try LoopbackServer()
        let client = try makeClient()

        for _ in 0..<2 {
            let error = try #require(await failure(of: Self.request("http://\(host):\(server.port)/"), by: client))
            let message = "\(host) resolves to a private address (\(address): loopback); see --allow-private"
            #expect(error == FeedError.invalidData(message, host: "\(host):\(server.port)").at(.trusting))
        }

        #expect(server.requests.isEmpty)
        #expect(server.connections == 0)
    }

    @Test(
        "a request for public addresses is not sent to private addresses of any kind",
        arguments: [
            ("10.1.2.3", "private"), ("169.254.169.254", "link-local"), ("192.168.1.1", "private"),
            ("[::1]", "loopback"), ("[::ffff:127.0.0.1]", "loopback"), ("[64:ff9b::10.0.0.1]", "private"),
            ("[fd00::1]", "unique-local"), ("[fe80::1]", "link-local"), ("0.0.0.0", "unspecified"),
            ("0", "unspecified"), ("localhost", "loopback"), ("2130706433", "loopback"),
        ])
    func kinds(_ host: String, _ reason: String) async throws {
        let error = try #require(await failure(of: Self.request("http://\(host):9/"), by: makeClient()))

        #expect(error.kind == .invalidData)
        #expect(error.message.contains(": \(reason)); see --allow-private"), "\(error.message)")
    }

    @Test("a request for public addresses is not sent on an existing connection to a private address")
    func reused() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        _ = try await client.get(makeRequest(server.url()), into: NullSink())

        let error = await failure(of: try Self.request(server.url()), by: client)
        let last = try await client.get(makeRequest(server.url()), into: NullSink())

        #expect(error?.message.contains("127.0.0.1: loopback") == true, "\(error?.message ?? "")")
        #expect(last.head.status == 404)
        #expect(server.requests.count == 2)
    }

    @Test("a request for public addresses is sent through a proxy at a private address")
    func proxy() async throws {
        let proxy = try LoopbackServer("http://images.invalid/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        for _ in 0..<2 {
            let response = try await client.get(Self.request("http://images.invalid/"), into: NullSink())
            #expect(response.head.status == 200)
            #expect(!response.isFromPrivateAddress)
            #expect(!response.isFromSpecialAddress)
        }
    }

    @Test(
        "a private address in the URL is refused with a proxy, too",
        arguments: [
            ("10.1.2.3", "private"), ("169.254.169.254", "link-local"), ("127.1", "loopback"), ("[::1]", "loopback"),
            ("2130706433", "loopback"), ("0x7f.1", "loopback"), ("0177.0.0.1", "loopback"), ("127.0.0.1.", "loopback"),
            ("[::ffff:10.0.0.1]", "private"),
        ])
    func literalThroughProxy(_ host: String, _ reason: String) async throws {
        let proxy = try LoopbackServer()
        let client = try makeClient { $0.proxy = proxy.url("") }

        let error = try #require(await failure(of: Self.request("http://\(host)/"), by: client))

        #expect(error.kind == .invalidData)
        #expect(error.stage == .trusting)
        #expect(error.message.contains(": \(reason)); see --allow-private"), "\(error.message)")
        #expect(proxy.requests.isEmpty)
    }

    @Test(
        "a private address in an unusual notation is refused with a proxy",
        arguments: [
            "\u{FF11}\u{FF12}\u{FF17}.\u{FF10}.\u{FF10}.\u{FF11}", "127\u{3002}0\u{3002}0\u{3002}1",
            "\u{2460}\u{2461}\u{2466}.\u{24EA}.\u{24EA}.\u{2460}", "127.0.0.1\u{AD}", "0\u{FF58}7f.1",
            "127.0.0.\u{AD}1\u{FF61}", "\u{1D7CF}0.1.1.1",
        ])
    func disguisedThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer()
        let client = try makeClient { $0.proxy = proxy.url("") }
        let error = try #require(await failure(of: Self.request("http://\(host)/"), by: client))
        #expect(error.kind == .invalidData)
        #expect(error.stage == .trusting)
        #expect(proxy.requests.isEmpty)
    }

    @Test(
        "a loopback name is refused with a proxy",
        arguments: [
            "localhost", "LocalHost", "localhost.", "a.localhost", "localhost:8080", "ｌｏｃａｌｈｏｓｔ", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
            "local\u{AD}host", "local\u{200B}host", "localhost。", "foo.ｌocalhost",
        ])
    func loopbackNameThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer()
        let client = try makeClient { $0.proxy = proxy.url("") }
        let error = try #require(await failure(of: Self.request("http://\(host)/"), by: client))
        #expect(error.kind == .invalidData)
        #expect(error.stage == .trusting)
        #expect(error.message.contains("--allow-private"))
        #expect(proxy.requests.isEmpty)
    }

    @Test(
        "a name that only resembles a loopback name is requested through a proxy",
        arguments: ["localhost.example", "mylocalhost"])
    func nameThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer("http://\(host)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }
        #expect(try await client.get(Self.request("http://\(host)/"), into: NullSink()).head.status == 200)
    }

    @Test(
        "a host name beyond ASCII is requested through a proxy by its ASCII form",
        arguments: [("bücher.example", "xn--bcher-kva.example"), ("7ü.example", "xn--7-eha.example")])
    func nameBeyondASCII(_ host: String, _ asked: String) async throws {
        let proxy = try LoopbackServer("http://\(asked)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }
        #expect(try await client.get(Self.request("http://\(host)/"), into: NullSink()).head.status == 200)
    }

    @Test("a public address in the URL is requested through a proxy")
    func publicLiteralThroughProxy() async throws {
        let proxy = try LoopbackServer("http://93.184.216.34/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(Self.request("http://93.184.216.34/"), into: NullSink())

        #expect(response.head.status == 200)
        #expect(!response.isFromPrivateAddress)
    }

    @Test("a response through a proxy counts as private if the URL names a private address")
    func fromPrivateThroughProxy() async throws {
        let proxy = try LoopbackServer("http://10.1.2.3/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(makeRequest("http://10.1.2.3/"), into: NullSink())

        #expect(response.isFromPrivateAddress)
        #expect(!response.isFromSpecialAddress)
    }

    @Test(
        "a response through a proxy for a special address in the URL comes from a special address, not from a private one",
        arguments: ["198.18.0.1", "localhost", "a.localhost."])
    func specialThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer("http://\(host)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(makeRequest("http://\(host)/"), into: NullSink())

        #expect(!response.isFromPrivateAddress)
        #expect(response.isFromSpecialAddress)
    }
}
