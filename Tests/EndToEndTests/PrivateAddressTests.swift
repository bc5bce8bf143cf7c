import JSONText
import TestSupport
import Testing

/// A separate network in which one machine has public and private addresses, and nginx listens on all of them.
@Suite("Private addresses", .timeLimit(.minutes(10)))
struct PrivateAddressTests {
    private static let publicSite = "http://93.184.216.34"
    private static let privateSites = [
        "http://127.0.0.1", "http://10.1.2.3", "http://169.254.169.254", "http://[::1]", "http://[fd00::1]",
        "http://[::ffff:10.1.2.3]", "http://[64:ff9b::a01:203]", "http://0.0.0.0", "http://inside.example",
    ]

    private let program: Program
    private let directory: TemporaryDirectory

    init() throws {
        program = try Program()
        directory = program.directory
        try directory.makeDirectory("site")
        try directory.makeDirectory("cache")
        try directory.write(Samples.png, to: "site/a.png")
        try directory.write(Array(Self.nginx.utf8), to: "nginx.conf")
        try directory.write(Array("10.1.2.3 inside.example\n93.184.216.34 outside.example\n".utf8), to: "hosts")
    }

    private static let nginx = """
        pid nginx.pid;
        error_log error.log;
        events { worker_connections 64; }
        http {
            log_format asked "$server_addr $uri";
            access_log access.log asked;
            types { image/png png; application/json json; text/html html; text/xml xml; }
            server {
                listen 80;
                listen [::]:80;
                root site;
                location = /to-private { return 302 http://10.1.2.3/a.png; }
                location = /feed-to-private { return 302 http://10.1.2.3/feed.json; }
                location = /page-to-private { return 302 http://10.1.2.3/page.html; }
                location = /to-public { return 302 http://outside.example/a.png; }
            }
        }

        """

    private func sync(_ site: String, images: [String], _ arguments: String...) async throws -> ProcessResult {
        try directory.write(Array(FeedServer.feed(images).utf8), to: "site/feed.json")
        return try await run("\(site)/feed.json", arguments)
    }

    private func run(_ feed: String, _ arguments: [String] = []) async throws -> ProcessResult {
        let script = """
            cd "$1" && ip link set lo up || exit 99
            for address in 93.184.216.34 10.1.2.3 169.254.169.254 198.18.0.1 100.64.0.1 192.88.99.1 203.0.113.1; do
                ip address add $address/32 dev lo || exit 99
            done
            for address in fd00::1 64:ff9b::a01:203 2001::1 2002:a01:203::1; do
                ip address add $address/128 dev lo nodad || exit 99
            done
            mount --bind hosts /etc/hosts || exit 99
            PATH="$PATH:/usr/sbin" nginx -p "$1/" -c "$1/nginx.conf" -e error.log -g "user $(id -un);" || exit 99
            shift
            microsocks -i 127.0.0.1 2>/dev/null &
            "$feedsync" "$@"
            code=$?
            kill "$(cat nginx.pid)" $!
            exit $code
            """
        return try await program.shellWithOwnMounts(script, [directory.path, feed] + arguments, besides: "--net")
    }

    /// Returns the addresses that received requests, in order.
    private func askedAddresses() throws -> [String] {
        String(decoding: try Files.bytes(directory.path("access.log")), as: UTF8.self)
            .split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }

    @Test("A public feed can't reach private addresses, and none of them is asked", arguments: privateSites)
    func images(site: String) async throws {
        let result = try await sync(Self.publicSite, images: ["\(site)/a.png", "\(Self.publicSite)/a.png"])
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorText.contains("--allow-private"), "\(result.errorText)")
        #expect(try askedAddresses().allSatisfy { $0 == "93.184.216.34" })
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 1)
    }

    @Test("A redirect of a public feed can't reach private addresses")
    func redirects() async throws {
        let images = try await sync(Self.publicSite, images: ["\(Self.publicSite)/to-private"])
        #expect(images.status == .exited(23), "\(images.errorText)")
        let feed = try await run("\(Self.publicSite)/feed-to-private")
        #expect(feed.status == .exited(65), "\(feed.errorText)")
        #expect(feed.errorText.contains("10.1.2.3"))
        #expect(try askedAddresses().allSatisfy { $0 == "93.184.216.34" })
    }

    @Test(
        "The items of a public feed can't lead to pages at private addresses",
        arguments: privateSites.map { "\($0)/page.html" } + ["\(publicSite)/page-to-private"])
    func pages(page: String) async throws {
        let html = "<meta property='og:image' content='\(Self.publicSite)/a.png'>"
        try directory.write(Array(html.utf8), to: "site/page.html")
        let links = [page, "\(Self.publicSite)/page.html"].map { "<item><link>\($0)</link></item>" }.joined()
        try directory.write(Array("<rss><channel>\(links)</channel></rss>".utf8), to: "site/feed.xml")
        let result = try await run("\(Self.publicSite)/feed.xml", ["--follow"])
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorText.contains("--allow-private"), "\(result.errorText)")
        #expect(try askedAddresses().allSatisfy { $0 == "93.184.216.34" })
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 1)
    }

    @Test("A page at a public address can't lead a private feed to private addresses, but a private page can")
    func pagesOfPrivateFeed() async throws {
        try directory.write(
            Array("<meta property='og:image' content='http://10.1.2.3/a.png'>".utf8), to: "site/page.html")
        func sync(_ site: String, _ arguments: String...) async throws -> ProcessResult {
            let item = "<item><guid>\(site)</guid><link>\(site)/page.html</link></item>"
            try directory.write(Array("<rss><channel>\(item)</channel></rss>".utf8), to: "site/feed.xml")
            return try await run("http://inside.example/feed.xml", ["--follow"] + arguments)
        }
        for _ in 1...2 {
            let result = try await sync(Self.publicSite, "-v")
            #expect(result.status == .exited(23), "\(result.errorText)")
            #expect(result.errorText.contains("10.1.2.3"))
        }
        expectQuiet(try await sync("http://127.0.0.1"))
        expectQuiet(try await sync(Self.publicSite, "--allow-private"))
    }

    @Test("--allow-private admits private addresses, and public ones under any name")
    func allowed() async throws {
        let sites = Self.privateSites.filter { $0 != "http://0.0.0.0" }
        let images = (sites + ["http://outside.example"]).map { "\($0)/a.png" } + ["\(Self.publicSite)/to-private"]
        expectQuiet(try await sync(Self.publicSite, images: images, "--allow-private"))
        expectQuiet(try await sync("http://outside.example", images: ["http://outside.example/to-public"]))
    }

    @Test("A feed at a private address can reach private addresses")
    func privateFeed() async throws {
        let images = ["http://127.0.0.1/a.png", "http://[fd00::1]/a.png", "\(Self.publicSite)/a.png"]
        expectQuiet(try await sync("http://inside.example", images: images))
    }

    @Test(
        "A feed at another special address may reference its own origin and no private address",
        arguments: [
            "198.18.0.1", "100.64.0.1", "192.88.99.1", "203.0.113.1", "[2001::1]", "[64:ff9b::a01:203]",
            "[2002:a01:203::1]",
        ])
    func specialFeed(host: String) async throws {
        let images = ["http://127.0.0.1/a.png", "http://10.1.2.3/a.png", "http://\(host)/a.png"]
        let result = try await sync("http://\(host)", images: images + ["\(Self.publicSite)/a.png"])
        #expect(result.status == .exited(23), "\(result.errorText)")
        let asked = try askedAddresses()
        #expect(asked.count == 3 && asked.contains("93.184.216.34"), "\(asked)")
    }

    @Test("A SOCKS proxy resolves names, and a feed through it may not name a private address", arguments: ["5", "5h"])
    func socks(version: String) async throws {
        let proxy = ["--proxy", "socks\(version)://127.0.0.1"]
        try directory.write(Array(FeedServer.feed(["http://inside.example/a.png"]).utf8), to: "site/feed.json")
        expectQuiet(try await run("http://outside.example/feed.json", proxy))

        let named = ["http://10.1.2.3/b.png", "http://localhost/b.png"]
        try directory.write(Array(FeedServer.feed(named).utf8), to: "site/feed.json")
        let result = try await run("http://outside.example/feed.json", proxy)
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorText.contains("10.1.2.3 resolves to a private address (10.1.2.3: private)"))
        #expect(try askedAddresses() == ["93.184.216.34", "10.1.2.3", "93.184.216.34"])
    }

    @Test("A public server that a private feed names can't lead to private addresses")
    func privateFeedOfPublicImages() async throws {
        let result = try await sync("http://inside.example", images: ["\(Self.publicSite)/to-private"])
        #expect(result.status == .exited(23), "\(result.errorText)")
    }
}
