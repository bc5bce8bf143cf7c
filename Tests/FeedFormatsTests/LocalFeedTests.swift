import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The images that a local feed may name.
@Suite struct LocalFeedTests {
    private func image(_ image: String, in feed: String = "file:///data/my%20feeds/feed.json") throws -> ResourceURL {
        let text = #"{"items":[{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"\#(image)"}]}"#
        let images = try FeedDecoder().decode(Array(text.utf8), from: ResourceURL(feed)).images
        return try #require(images.first).url
    }

    @Test("the fixture of a local feed names six images, five of them distinct, which all exist")
    func fixture() throws {
        let feed = try FeedDecoder().decode(
            Fixtures.bytes("feed.json"), from: ResourceURL(filePath: "\(Fixtures.directory)/feed.json"))
        #expect(feed.images.count == 6)
        #expect(Set(feed.images.map(\.url)).count == 5)
        for image in feed.images {
            let path = try #require(image.url.filePath)
            #expect(path.hasPrefix("\(Fixtures.directory)/images/"))
            #expect(
                try ImageType(signatureOf: Fixtures.bytes(String(path.dropFirst(Fixtures.directory.count + 1)))) != nil)
        }
    }

    @Test(
        "a relative path or file: URL in a local feed is resolved against the feed's directory",
        arguments: [
            ("a.png", "/data/my feeds/a.png"), ("images/a.png", "/data/my feeds/images/a.png"),
            ("./a.png", "/data/my feeds/a.png"), ("x/../a.png", "/data/my feeds/a.png"),
            ("../my%20feeds/a.png", "/data/my feeds/a.png"), ("/data/my%20feeds/x/a.png", "/data/my feeds/x/a.png"),
            ("a b.png", "/data/my feeds/a b.png"), ("a%20b.png", "/data/my feeds/a b.png"),
            ("à/é.png", "/data/my feeds/à/é.png"), ("%C3%A0.png", "/data/my feeds/à.png"),
            ("a%2fb.png", "/data/my feeds/a/b.png"), ("a.png?size=1#top", "/data/my feeds/a.png"),
            ("a%3Fb%23c.png", "/data/my feeds/a?b#c.png"), ("x:y/../z", nil), ("./x:y.png", "/data/my feeds/x:y.png"),
            ("file:///data/my%20feeds/a.png", "/data/my feeds/a.png"),
            ("file:/data/my%20feeds/a.png", "/data/my feeds/a.png"),
            ("FILE://LocalHost/data/my%20feeds/a.png", "/data/my feeds/a.png"),
            ("file:///data/my feeds/a.png", "/data/my feeds/a.png"),
        ] as [(String, String?)])
    func accepts(given: String, path: String?) throws {
        guard let path else {
            #expect(throws: FeedError.self) { try image(given) }
            return
        }
        #expect(try image(given) == ResourceURL(filePath: path))
        #expect(try image(given).filePath == path)
    }

    @Test("a local feed may name remote images")
    func remoteImage() throws {
        #expect(try image("https://a.example/1.png") == ResourceURL("https://a.example/1.png"))
    }

    @Test(
        "a file: URL in a local feed is resolved against the feed, whatever base it declares",
        arguments: [
            ("file:///data/a.png", "file:///data/a.png"), ("FILE:/data/x/a.png", "file:///data/x/a.png"),
            ("file:///etc/a.png", nil), ("a.png", "https://site.example/x/a.png"),
        ] as [(String, String?)])
    func absoluteFiles(given: String, expected: String?) throws {
        let item = "<item><enclosure url='\(given)'/></item>"
        for text in [
            "<rss><channel><link>https://site.example/x/</link>\(item)</channel></rss>",
            "<rss xml:base='https://site.example/x/'><channel>\(item)</channel></rss>",
        ] {
            let images = try FeedDecoder().decode(Array(text.utf8), from: .known("file:///data/feed.xml")).images
            #expect(images.map(\.url.text) == [expected].compactMap { $0 })
        }
    }

    @Test("a local feed in the root directory may name any file")
    func topDirectory() throws {
        #expect(try image("etc/a.png", in: "file:///feed.json").filePath == "/etc/a.png")
    }

    @Test(
        "a local feed's reference to a file outside its directory is refused in any notation",
        arguments: [
            "../a.png", "images/../../a.png", "..", ".", "./", "images/", "/etc/passwd", "/data/feed.json",
            "/data/my%20feedsx/a.png", "/data/my%20feeds", "/data/my%20feeds/../a.png", "%2e%2e/a.png", "%2E./a.png",
            "..%2fa.png", "images/..%2F..%2Fa.png", "x/%2e%2e/%2e%2e/a.png", "file:///etc/passwd",
            "file:///data/my%20feeds/../a.png", "file:///data/my%20feeds/%2e%2e/a.png", "file:/etc/passwd",
            "file:///data/my%20feeds/x/..%2f..%2fa.png",
        ])
    func refusesFilesElsewhere(given: String) throws {
        let error = #expect(throws: FeedError.self) { try image(given) }
        #expect(error?.message == "items[0].image: not a file in the feed's directory or below")
    }

    @Test(
        "an invalid file: URL in a local feed is refused",
        arguments: [
            ("", "empty"), ("//server/a.png", "names a file on another machine"),
            ("file://server/a.png", "names a file on another machine"),
            ("file://user@localhost/a.png", "names a file on another machine"),
            ("file:a.png", "a file: URL needs an absolute path"), ("100%.png", "has a broken percent-encoding"),
            ("%ff.png", "has a broken percent-encoding"), ("a%00.png", "has a broken percent-encoding"),
            ("ftp://h/a.png", "not an http(s) URL"), (#"a\\b.png"#, "contains a space, control character or backslash"),
            (#"a\u0000.png"#, "contains a space, control character or backslash"),
            (#"\n/../a.png"#, "contains a space, control character or backslash"),
        ])
    func refuses(given: String, reason: String) throws {
        let error = #expect(throws: FeedError.self) { try image(given) }
        #expect(error?.message == "items[0].image: \(reason)")
    }

    @Test("a slash before a combining accent separates directories")
    func combiningAccents() throws {
        #expect(throws: FeedError.self) { try image("../\u{301}a.png") }
        #expect(throws: FeedError.self) { try image("x/..\u{2F}\u{301}/../../a.png") }
        #expect(try image("x/\u{301}a.png").filePath == "/data/my feeds/x/\u{301}a.png")
    }
}
