import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("A SOCKS proxy", .timeLimit(.minutes(10)))
struct SocksTests {
    private let proxy: SocksRecorder

    init() throws { proxy = try SocksRecorder() }

    /// What names mean, as a resolver would say.
    private func client(
        _ scheme: String, connectTimeout: Duration = .seconds(900), _ resolve: @escaping NameLookup.Resolver
    ) throws -> CurlHTTPClient {
        var settings = NetworkSettings(userAgent: "feedsync-test/1")
        settings.proxy = "\(scheme)://127.0.0.1:\(proxy.port)"
        settings.connectTimeout = connectTimeout
        return try CurlHTTPClient(settings: settings, environment: [:], names: NameLookup(resolve))
    }

    private static func addresses(_ texts: String...) -> NameLookup.Answer {
        .success(texts.compactMap { NetworkAddress(presentation: $0) })
    }

    @Test("that is told addresses is told one that was checked", arguments: ["socks5", "socks4", "SOCKS5", "socks"])
    func told(_ scheme: String) async throws {
        let client = try client(scheme) { _ in Self.addresses("10.0.0.1", "93.184.216.34") }
        let request = try PrivateAddressTests.request("http://images.test:8080/")
        #expect(await failure(of: request, by: client)?.kind == .connectivity)
        #expect(proxy.destinations == ["93.184.216.34:8080"])
        // Who may ask anybody asks the first; and what was pinned for one holds for no other.
        _ = await failure(of: try makeRequest("http://images.test:8080/"), by: client)
        _ = await failure(of: request, by: client)
        _ = await failure(of: try makeRequest("http://93.184.216.35/"), by: client)
        let more = ["10.0.0.1:8080", "93.184.216.34:8080", "93.184.216.35:80"]
        #expect(proxy.destinations.dropFirst() == more[...])
    }

    @Test("that is told addresses is not asked for a private one", arguments: ["socks5", "socks4"])
    func refused(_ scheme: String) async throws {
        let client = try client(scheme) { _ in Self.addresses("10.0.0.1", "127.0.0.1", "198.18.0.1") }
        let error = await failure(of: try PrivateAddressTests.request("http://images.test/"), by: client)
        let message = "images.test resolves to a private address (10.0.0.1: private); see --allow-private"
        #expect(error == FeedError.invalidData(message, host: "images.test").at(.trusting))
        #expect(proxy.destinations.isEmpty)
    }

    @Test("of version 4 is told no address of version 6")
    func version() async throws {
        let client = try client("socks4") { _ in Self.addresses("2606:2800::1", "93.184.216.34") }
        _ = await failure(of: try PrivateAddressTests.request("http://images.test/"), by: client)
        #expect(proxy.destinations == ["93.184.216.34:80"])
        let none = try self.client("socks4") { _ in Self.addresses("2606:2800::1") }
        let error = await failure(of: try makeRequest("http://images.test/"), by: none)
        #expect(error?.message == "images.test has no address that the proxy can be told")
    }

    @Test("that looks names up by itself is told the name", arguments: ["socks5h", "socks4a"])
    func byName(_ scheme: String) async throws {
        let client = try client(scheme) { _ in Self.addresses("10.0.0.1") }
        _ = await failure(of: try PrivateAddressTests.request("http://images.test/"), by: client)
        // Version 4a says by such an address that a name follows.
        #expect(proxy.destinations == [scheme == "socks5h" ? "images.test:80" : "0.0.0.1:80"])
    }

    @Test("is not asked for a name that can't be looked up, which is told of as such")
    func unknown() async throws {
        let client = try client("socks5") { _ in .failure(.failed("no such name")) }
        let error = await failure(of: try makeRequest("http://images.test/"), by: client)
        #expect(error == FeedError.connectivity("no such name", host: "images.test").at(.connecting))
        #expect(proxy.destinations.isEmpty)
    }

    @Test("makes nobody wait for a name longer than for a connection, nor a request that was cancelled")
    func slow() async throws {
        let gate = Gate()
        defer { gate.open() }
        let resolve: NameLookup.Resolver = { _ in
            gate.pass()
            return Self.addresses("10.0.0.1")
        }
        let hasty = try client("socks5", connectTimeout: .milliseconds(50), resolve)
        let request = try makeRequest("http://images.test/")
        let error = await failure(of: request, by: hasty)
        #expect(error?.message == "images.test could not be looked up within 50 ms")
        #expect(error?.stage == .connecting)

        let patient = try client("socks5", resolve)
        let task = Task { await failure(of: request, by: patient) }
        await gate.waitForArrivals(2)
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("has each name looked up once for many requests")
    func once() async throws {
        let names = Mutex<[String]>([])
        let client = try client("socks5") { name in
            names.withLock { $0.append(name) }
            return Self.addresses("93.184.216.34")
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        _ = await failure(of: try makeRequest("http://images.test/\(number)"), by: client)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        #expect(names.withLock { $0 } == ["images.test"])
    }
}
