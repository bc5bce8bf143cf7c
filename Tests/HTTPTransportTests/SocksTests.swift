import FeedCore
import TestSupport
import Testing

@Suite("SOCKS proxies", .timeLimit(.minutes(10)))
struct SocksTests {
    private static let schemes = ["socks5", "socks5h", "SOCKS5", "socks4", "socks4a", "socks"]

    @Test("a SOCKS proxy of any version receives the name of the host", arguments: schemes, [nil, "all_proxy"])
    func name(scheme: String, variable: String?) async throws {
        let proxy = try SocksRecorder()
        let url = "\(scheme)://127.0.0.1:\(proxy.port)"
        let client = try makeClient(environment: variable.map { [$0: url] } ?? [:]) { settings in
            if variable == nil { settings.proxy = url }
        }

        for request in try [
            PrivateAddressTests.request("http://images.test:8080/"), makeRequest("http://images.test:8080/"),
        ] {
            #expect(await failure(of: request, by: client)?.kind == .connectivity)
        }

        #expect(proxy.destinations == ["images.test:8080", "images.test:8080"])
    }

    @Test("a SOCKS proxy is not asked for a private address in the URL", arguments: schemes)
    func literal(scheme: String) async throws {
        let proxy = try SocksRecorder()
        let client = try makeClient { $0.proxy = "\(scheme)://127.0.0.1:\(proxy.port)" }

        for host in ["10.0.0.1", "localhost", "[::1]"] {
            let error = await failure(of: try PrivateAddressTests.request("http://\(host)/"), by: client)
            #expect(error?.kind == .invalidData)
            #expect(error?.stage == .trusting)
        }

        #expect(proxy.destinations.isEmpty)
    }
}
