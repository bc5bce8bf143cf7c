import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("A request for public addresses only", .timeLimit(.minutes(10)))
struct PrivateAddressTests {
    static func request(_ url: String) throws -> HTTPRequest {
        var request = try makeRequest(url)
        request.addresses = .publicOnly
        return request
    }

    @Test("isn't sent to a private one", arguments: [("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1")])
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
        "isn't sent to private ones of any kind",
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

    @Test("isn't sent on a connection that is there already either")
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

    @Test("is sent through a proxy, wherever that is")
    func proxy() async throws {
        let proxy = try LoopbackServer("http://images.invalid/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        for _ in 0..<2 {
            let response = try await client.get(Self.request("http://images.invalid/"), into: NullSink())
            #expect(response.head.status == 200)
            #expect(!response.isFromPrivateAddress)
            #expect(!response.circumstances.touchedPrivateAddress)
        }
    }

    @Test(
        "isn't sent to a private one through a proxy either, where the URL itself names it",
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
        "isn't sent through a proxy to one in other digits or dots",
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
        "isn't sent through a proxy to what is always the machine that is asked for it",
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

    @Test("is sent through a proxy to a name that only looks alike", arguments: ["localhost.example", "mylocalhost"])
    func nameThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer("http://\(host)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }
        #expect(try await client.get(Self.request("http://\(host)/"), into: NullSink()).head.status == 200)
    }

    @Test(
        "is sent through a proxy to a name beyond ASCII by its name in ASCII",
        arguments: [("bücher.example", "xn--bcher-kva.example"), ("7ü.example", "xn--7-eha.example")])
    func nameBeyondASCII(_ host: String, _ asked: String) async throws {
        let proxy = try LoopbackServer("http://\(asked)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }
        #expect(try await client.get(Self.request("http://\(host)/"), into: NullSink()).head.status == 200)
    }

    @Test("is sent through a proxy to a public one that the URL names")
    func publicLiteralThroughProxy() async throws {
        let proxy = try LoopbackServer("http://93.184.216.34/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(Self.request("http://93.184.216.34/"), into: NullSink())

        #expect(response.head.status == 200)
        #expect(!response.isFromPrivateAddress)
    }

    @Test("A response through a proxy comes from a private address if the URL has its literal")
    func fromPrivateThroughProxy() async throws {
        let proxy = try LoopbackServer("http://10.1.2.3/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(makeRequest("http://10.1.2.3/"), into: NullSink())

        #expect(response.isFromPrivateAddress)
        #expect(response.circumstances.touchedPrivateAddress)
    }

    @Test(
        "A response through a proxy has touched a special address if the URL names it, without being of the own network",
        arguments: ["198.18.0.1", "localhost", "a.localhost."])
    func specialThroughProxy(_ host: String) async throws {
        let proxy = try LoopbackServer("http://\(host)/", Reply(body: [1]))
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(makeRequest("http://\(host)/"), into: NullSink())

        #expect(!response.isFromPrivateAddress)
        #expect(response.circumstances.touchedPrivateAddress)
    }

    @Test("A failure tells that the request went to a private address, also when the sink failed")
    func failures() async throws {
        let server = try LoopbackServer([
            "/encoded": { _ in Reply(headers: [("Content-Encoding", "br")], body: [1]) },
            "/cut": { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1") },
            "/whole": { _ in Reply(body: [1]) },
        ])
        let client = try makeClient()
        for path in ["/encoded", "/cut", "/whole"] {
            let sink = RecordingSink(failure: .invalidData("no image"))
            let error = await failure(of: try makeRequest(server.url(path)), by: client, into: sink)
            #expect(error?.circumstances.touchedPrivateAddress == true, "\(path)")
        }
    }

    @Test("may be sent to a public address, and not to one of no known kind")
    func decision() throws {
        let url = try ResourceURL("http://a/")
        #expect(AddressCheck.refusal(of: NetworkAddress(bytes: [93, 184, 216, 34]), at: url) == nil)
        #expect(AddressCheck.refusal(of: nil, at: url)?.stage == .trusting)
    }

    @Test("tells whether an address is of a network of one's own, also when it changes")
    func memory() {
        var memory = AddressMemory()
        #expect(!memory.look(at: "").isPublic)
        #expect(memory.look(at: "93.184.216.34").isPublic)
        #expect(!memory.look(at: "198.18.0.1").isPublic)
        #expect(!memory.look(at: "").isOfOwnNetwork)
        for _ in 0..<2 {
            #expect(!memory.look(at: "93.184.216.34").isOfOwnNetwork)
            #expect(memory.look(at: "10.0.0.1").isOfOwnNetwork)
            #expect(!memory.look(at: "nonsense").isOfOwnNetwork)
            #expect(!memory.look(at: "198.18.0.1").isOfOwnNetwork)
            #expect(memory.look(at: "fd00::1").isOfOwnNetwork)
        }
    }
}
