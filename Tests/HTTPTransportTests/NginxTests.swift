import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Requests to nginx", .timeLimit(.minutes(10)))
struct NginxTests {
    let root: TemporaryDirectory

    init() throws { root = try TemporaryDirectory() }

    @Test("nginx confirms an unchanged file with a 304")
    func notModified() async throws {
        try root.write(pattern(5000), to: "a.jpg")
        let nginx = try await Nginx(serving: root.path)
        let client = try makeClient()

        let first = try await client.get(makeRequest(nginx.url("/a.jpg")), into: NullSink())
        #expect(first.head.status == 200)
        #expect(first.head[.contentType] == "image/jpeg")
        let validators = first.head.validators
        for known in [
            validators, Validators(etag: validators.etag), Validators(lastModified: validators.lastModified),
        ] {
            let sink = RecordingSink()
            let second = try await client.get(makeRequest(nginx.url("/a.jpg"), validators: known), into: sink)
            #expect(second.head.status == 304)
            #expect(sink.bytes.isEmpty)
        }
        let changed = Validators(etag: "\"other\"")
        let third = try await client.get(makeRequest(nginx.url("/a.jpg"), validators: changed), into: NullSink())
        #expect(third.head.status == 200)
    }

    @Test("a compressed response of nginx is limited by its decoded size")
    func compressed() async throws {
        try root.write([UInt8](repeating: 0x20, count: 20 << 20), to: "bomb.json")
        let nginx = try await Nginx(
            serving: root.path, server: ["gzip on;", "gzip_types *;", "gzip_comp_level 1;"])
        let client = try makeClient()
        let url = nginx.url("/bomb.json")

        let sink = RecordingSink()
        let error = await failure(of: try makeRequest(url, maxBytes: 1 << 20), by: client, into: sink)
        let whole = try await client.get(makeRequest(url, maxBytes: 20 << 20), into: NullSink())

        let refusal = FeedError.invalidData("larger than 1M", host: "127.0.0.1:\(nginx.port)").at(.transferring)
        #expect(error == refusal.dependingOnSettings())
        #expect(sink.bytes.count <= 1 << 20)
        #expect(whole.bodyBytes == 20 << 20)
    }

    @Test("many concurrent files of nginx arrive completely")
    func many() async throws {
        for number in 0..<50 { try root.write(pattern(1000 * number), to: "\(number).jpg") }
        let nginx = try await Nginx(serving: root.path)
        try await fetchMany(nginx, by: try makeClient())
    }

    @Test("TLS and HTTP/2 work with a trusted certificate")
    func http2() async throws {
        for number in 0..<50 { try root.write(pattern(1000 * number), to: "\(number).jpg") }
        let nginx = try await Nginx(serving: root.path, certificate: try await certificate())

        let error = await failure(of: try makeRequest(nginx.url("/1.jpg")), by: try makeClient())
        #expect(error?.kind == .connectivity)
        #expect(error?.stage == .trusting)
        #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")

        let astray = try makeClient { $0.caFile = root.path("missing.pem") }
        let noCertificates = await failure(of: try makeRequest(nginx.url("/1.jpg")), by: astray)
        #expect(noCertificates?.stage == .trusting, "\(noCertificates?.message ?? "")")

        let insecure = try makeClient { $0.isInsecure = true }
        #expect(try await insecure.get(makeRequest(nginx.url("/1.jpg")), into: NullSink()).head.status == 200)

        let trusting = try makeClient { $0.caFile = root.path("cert.pem") }
        try await fetchMany(nginx, by: trusting)
    }

    @Test("a new connection is made after a shared connection has died", arguments: [1, 20])
    func deadConnection(count: Int) async throws {
        for number in 0..<count { try root.write(pattern(1000), to: "\(number).jpg") }
        let nginx = try await Nginx(serving: root.path, certificate: try await certificate())
        let relay = try Relay(to: nginx.port)
        let client = try makeClient {
            $0.caFile = root.path("cert.pem")
            $0.idleTimeout = .seconds(3)
        }
        func fetch() async throws -> Int {
            let requests = try (0..<count).map { try makeRequest("https://127.0.0.1:\(relay.port)/\($0).jpg") }
            return await withTaskGroup(of: Bool.self) { group in
                for request in requests {
                    group.addTask {
                        do { return try await client.get(request, into: NullSink()).head.status == 200 } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(try await fetch() == count)
        relay.freeze()
        #expect(try await fetch() == 0)
        #expect(try await fetch() == count)
    }

    @Test("every request succeeds when the server ends each connection after a few requests")
    func fewRequests() async throws {
        for number in 0..<50 { try root.write(pattern(1000 * number), to: "\(number).jpg") }
        let nginx = try await Nginx(
            serving: root.path, server: ["keepalive_requests 10;"], certificate: try await certificate())
        let client = try makeClient { $0.caFile = root.path("cert.pem") }
        for _ in 1...5 { try await fetchMany(nginx, by: client) }
    }

    @Test("trust in a certificate applies to one request, even on an existing connection")
    func trustOfOne() async throws {
        try root.write(pattern(10), to: "1.jpg")
        let nginx = try await Nginx(serving: root.path, certificate: try await certificate())
        // All requests use one connection if their settings let them share it.
        let client = try makeClient { $0.maxConnectionsPerHost = 1 }
        func request(_ change: (inout NetworkSettings) -> Void) throws -> HTTPRequest {
            var request = try makeRequest(nginx.url("/1.jpg"))
            request.manner = manner(change)
            return request
        }
        for _ in 1...2 {
            let strict = await failure(of: try makeRequest(nginx.url("/1.jpg")), by: client)
            #expect(strict?.stage == .trusting)
            let insecure = try request { $0.isInsecure = true }
            #expect(try await client.get(insecure, into: NullSink()).head.status == 200)
            let astray = await failure(of: try request { _ in }, by: client)
            #expect(astray?.stage == .trusting)
            let trusting = try request { $0.caFile = root.path("cert.pem") }
            #expect(try await client.get(trusting, into: NullSink()).head.status == 200)
        }
    }

    @Test("a TLS session is resumed only by requests with the same trust settings")
    func resumedSession() async throws {
        let lines = [
            "keepalive_timeout 0;", "ssl_session_cache shared:tls:1m;",
            "location / { return 200 $ssl_session_reused; }",
        ]
        let nginx = try await Nginx(
            serving: root.path, server: lines, certificate: try await certificate(), http2: false)
        let client = try makeClient()
        func isResumed(_ change: (inout NetworkSettings) -> Void) async throws -> Bool {
            var request = try makeRequest(nginx.url("/"))
            request.manner = manner(change)
            let sink = RecordingSink()
            _ = try await client.get(request, into: sink)
            return sink.bytes == Array("r".utf8)
        }
        let file = root.path("cert.pem")
        #expect(try await !isResumed { $0.isInsecure = true })
        let resumed = try await isResumed { $0.isInsecure = true }
        #expect(resumed)
        #expect(await failure(of: try makeRequest(nginx.url("/")), by: client)?.stage == .trusting)
        #expect(try await !isResumed { $0.caFile = file })
        #expect(try await isResumed { $0.caFile = file } == resumed)
        #expect(await failure(of: try makeRequest(nginx.url("/")), by: client)?.stage == .trusting)
    }

    @Test("many requests share one HTTP/2 connection")
    func multiplexing() async throws {
        let nginx = try await Nginx(
            serving: root.path, server: ["location / { return 200 $connection; }"],
            certificate: try await certificate())
        let client = try makeClient {
            $0.caFile = root.path("cert.pem")
            $0.maxConnectionsPerHost = 16
        }

        let used = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<100 {
                let request = try makeRequest(nginx.url("/\(number)"))
                group.addTask {
                    let sink = RecordingSink()
                    _ = try await client.get(request, into: sink)
                    return sink.bytes
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }

        #expect(used.count == 1)
    }

    @Test("a host that limits the streams of a connection gets at most six connections")
    func fewStreams() async throws {
        let nginx = try await Nginx(
            serving: root.path, server: ["http2_max_concurrent_streams 8;", "location / { return 200 $connection; }"],
            certificate: try await certificate())
        let client = try makeClient { $0.caFile = root.path("cert.pem") }
        func connection(_ number: Int) async throws -> [UInt8] {
            let sink = RecordingSink()
            let response = try await client.get(try makeRequest(nginx.url("/\(number)")), into: sink)
            #expect(response.head.isMultiplexed)
            return sink.bytes
        }
        let used = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 1...100 { group.addTask { try await connection(number) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(used.count <= NetworkSettings.connectionsPerHost)
    }

    @Test("a server over HTTP/2 waits for a slow sink")
    func http2Backpressure() async throws {
        let body = pattern(40 << 20)
        try root.write(body, to: "large.jpg")
        let nginx = try await Nginx(serving: root.path, certificate: try await certificate())
        let client = try makeClient { $0.caFile = root.path("cert.pem") }
        let request = try makeRequest(nginx.url("/large.jpg"))

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let sink = RecordingSink()
                    let response = try await client.get(request, into: sink)
                    #expect(response.bodyBytes == 40 << 20)
                    #expect(sink.received(body))
                }
            }
            try await group.waitForAll()
        }
    }

    private func fetchMany(_ nginx: Nginx, by client: any HTTPClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let request = try makeRequest(nginx.url("/\(number % 50).jpg"))
                group.addTask {
                    let sink = RecordingSink()
                    let response = try await client.get(request, into: sink)
                    #expect(response.head.status == 200)
                    #expect(sink.received(pattern(1000 * (number % 50))))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a trusted certificate of another server is refused")
    func otherServersCertificate() async throws {
        try root.write([1, 2, 3], to: "1.jpg")
        let nginx = try await Nginx(serving: root.path, certificate: try await certificate(for: "DNS:other.test"))
        let trusting = try makeClient { $0.caFile = root.path("cert.pem") }
        let error = await failure(of: try makeRequest(nginx.url("/1.jpg")), by: trusting)
        #expect(error?.kind == .connectivity)
        #expect(error?.stage == .trusting)
        let insecure = try makeClient { $0.isInsecure = true }
        #expect(try await insecure.get(try makeRequest(nginx.url("/1.jpg")), into: NullSink()).head.status == 200)
    }

    private func certificate(for name: String = "IP:127.0.0.1") async throws -> (chain: String, key: String) {
        let paths = (chain: root.path("cert.pem"), key: root.path("key.pem"))
        let made = try await Subprocess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=test", "-addext", "subjectAltName=\(name)", "-keyout", paths.key, "-out",
                paths.chain,
            ])
        #expect(made.status == .exited(0), "\(made.errorText)")
        return paths
    }
}
