import FeedCore
import Testing

@Suite struct ResourceURLTests {
    @Test(
        "a URL is taken as given, its user name and password apart",
        arguments: [
            ("http://a.example", "http://a.example", nil), ("http://a.example/", "http://a.example/", nil),
            ("https://A.Example/B?c=d&e#f", "https://A.Example/B?c=d&e#f", nil),
            ("HTTP://a.example/x", "http://a.example/x", nil), ("hTTpS://a.example/x", "https://a.example/x", nil),
            ("http://user@a.example/", "http://a.example/", "user"),
            ("http://user:p%40ss@a.example:81/x", "http://a.example:81/x", "user:p%40ss"),
            ("https://me@mail.example:secret@a.example/x@y", "https://a.example/x@y", "me@mail.example:secret"),
            ("http://user:pass@[::1]:80/", "http://[::1]:80/", "user:pass"),
            ("http://@a.example/", "http://a.example/", nil),
            ("http://a.example/x:y@z", "http://a.example/x:y@z", nil),
            ("http://a.example?x@y", "http://a.example?x@y", nil),
            ("http://a.example#x@y", "http://a.example#x@y", nil), ("http://a.example:/", "http://a.example:/", nil),
            ("http://a.example:1/", "http://a.example:1/", nil),
            ("http://a.example:65535", "http://a.example:65535", nil),
            ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", nil), ("http://1/", "http://1/", nil),
            ("http://[2001:DB8::1]/x", "http://[2001:DB8::1]/x", nil),
            ("http://a_b-c.example./", "http://a_b-c.example./", nil),
            ("http://bücher.example/ä", "http://xn--bcher-kva.example/ä", nil),
            ("http://例え.example/日本?語#🌅", "http://xn--r8jz45g.example/日本?語#🌅", nil),
            ("http://a.example/a%20b%", "http://a.example/a%20b%", nil),
            ("http://a.example/<>\"{}|^`[]", "http://a.example/<>\"{}|^`[]", nil),
            ("http://a.example//../x", "http://a.example//../x", nil),
        ] as [(String, String, String?)])
    func accepts(given: String, text: String, credentials: String?) throws {
        let url = try ResourceURL(given)
        #expect(url.text == text)
        #expect(url.description == text)
        #expect(url.credentials == credentials)
        #expect(url.isRemote)
        #expect(url.filePath == nil)
        #expect(try ResourceURL(text, credentials: credentials) == url)
    }

    @Test(
        "a feed has one spelling",
        arguments: [
            ("HTTP://Feeds.Example/A", "http://feeds.example/A"), ("https://a.example:443/x", "https://a.example/x"),
            ("http://a.example:80?x", "http://a.example?x"), ("http://a.example:/x", "http://a.example/x"),
            ("http://a.example:443/x", "http://a.example:443/x"), ("http://a.example:08080/", "http://a.example:8080/"),
            ("http://a.example/b/../c/./d#e", "http://a.example/c/d"),
            ("http://a.example/..?x=/../y", "http://a.example/?x=/../y"),
            ("http://a.example//b", "http://a.example//b"), ("http://[::1]:80/x", "http://[::1]/x"),
            ("file:///a/b/../c", "file:///a/c"),
        ])
    func spelling(given: String, spelling: String) throws {
        let feed = try ResourceURL(given).asFeed
        #expect(feed.text == spelling)
        #expect(feed.asFeed == feed)
    }

    @Test("a feed keeps the user name and password in its URL")
    func spellingWithPassword() throws {
        #expect(try ResourceURL("http://me:pw@A.example/#x").asFeed.credentials == "me:pw")
    }

    @Test(
        "feed: stands for http, before a URL or in place of its scheme",
        arguments: [
            ("feed://a.example/x", "http://a.example/x"), ("feed:https://a.example/x", "https://a.example/x"),
            ("FEED:http://a.example/x", "http://a.example/x"), ("http://a.example/feed:x", "http://a.example/feed:x"),
            ("feeds://a.example/x", "feeds://a.example/x"),
        ])
    func feedScheme(given: String, url: String) { #expect(ResourceURL.withoutFeedScheme(given) == url) }

    @Test(
        "a text that is not a URL, or that two programs may read differently, is refused",
        arguments: [
            ("", "empty"), ("x", "not an http(s) URL"), ("http", "not an http(s) URL"), ("http:", "not an http(s) URL"),
            (":", "not an http(s) URL"), ("://a.example", "not an http(s) URL"),
            ("//a.example/x", "not an http(s) URL"),
            ("/x", "not an http(s) URL"), ("a.example/x", "not an http(s) URL"),
            ("ftp://a.example", "not an http(s) URL"),
            ("httpx://a.example", "not an http(s) URL"), ("https//a.example", "not an http(s) URL"),
            ("httpſ://a.example", "not an http(s) URL"), ("javascript:alert(1)", "not an http(s) URL"),
            ("data:image/png;base64,AA", "not an http(s) URL"), ("http:x", "has no host"), ("http:/x", "has no host"),
            ("https:/x", "has no host"), ("http://", "has no host"), ("https://", "has no host"),
            ("http:///x", "has no host"),
            ("http://?", "has no host"), ("http://#", "has no host"), ("http://:80", "has no host"),
            ("http://user:pass@", "has no host"), ("http://user@/x", "has no host"),
            ("http://user@:80/x", "has no host"),
            ("http://a.example:0/", "has no valid port"), ("http://a.example:65536/", "has no valid port"),
            ("http://a.example:+1/", "has no valid port"), ("http://a.example:-1/", "has no valid port"),
            ("http://a.example:8o/", "has no valid port"), ("http://a.example:80:80/", "has no valid port"),
            ("http://a.example:99999999999999999999/", "has no valid port"),
            ("http://a.example:٨٠/", "has no valid port"),
            ("http://::1/", "has no host"), ("http://[/", "has a malformed IPv6 address"),
            ("http://[]/", "has a malformed IPv6 address"), ("http://[::1/", "has a malformed IPv6 address"),
            ("http://[::1]x/", "has a malformed IPv6 address"), ("http://[::1]x:80/", "has a malformed IPv6 address"),
            ("http://[a.example]/", "has a malformed IPv6 address"),
            ("http://[fe80::1%25eth0]/", "has a malformed IPv6 address"),
            ("http://::1]/", "has no host"), ("http://a[::1]/", "has a host with characters no host has"),
            ("http://a]b/", "has a host with characters no host has"),
            ("http://a%2eb/", "has a host with characters no host has"),
            ("http://a<b>/", "has a host with characters no host has"),
            ("http://a|b/", "has a host with characters no host has"),
            ("http://a\"b/", "has a host with characters no host has"),
            ("http://a^b`{}/", "has a host with characters no host has"),
        ])
    func refuses(given: String, reason: String) {
        #expect(throws: InvalidURL(reason)) { try ResourceURL(given) }
    }

    @Test("a password is another where its characters are, as much as they look the same")
    func equivalentCredentials() throws {
        #expect(try ResourceURL("http://u:\u{E9}@a.example/") != ResourceURL("http://u:e\u{301}@a.example/"))
    }

    @Test(
        "a URL is sent with its host as it is, and its path and query encoded",
        arguments: [
            ("https://a.example/B?c=d&e#f", "https://a.example/B?c=d&e#f"),
            ("http://user:pass@a.example:81/'", "http://a.example:81/'"),
            ("http://bücher.example/ä?'#ß", "http://xn--bcher-kva.example/%C3%A4?%27"),
            ("http://bücher.example", "http://xn--bcher-kva.example"), ("http://a.example?<", "http://a.example?%3C"),
            ("http://a.example#<", "http://a.example"), ("http://[::1]:80/[{", "http://[::1]:80/[%7B"),
            ("http://a.example/a\u{301}?%C3%A9^\u{1F305}", "http://a.example/a%CC%81?%C3%A9^%F0%9F%8C%85"),
        ])
    func textToSend(given: String, sent: String) throws {
        #expect(try ResourceURL(given).textToSend == sent)
    }

    @Test("a URL longer than any server takes is refused; one from the database was taken once")
    func length() throws {
        let longest = "http://a.example/" + String(repeating: "a", count: 8175)
        #expect(try ResourceURL(longest).text == longest)
        #expect(throws: InvalidURL("longer than 8192 bytes")) { try ResourceURL(longest + "b") }
        #expect(try ResourceURL(longest + "b", credentials: nil).text == longest + "b")
    }

    @Test("a path longer than any is refused, however it is written")
    func pathLength() throws {
        let longest = "file:///" + String(repeating: "%C3%A9", count: 2047)
        #expect(try ResourceURL(longest).filePath?.utf8.count == 4095)
        #expect(throws: InvalidURL("longer than 4095 bytes")) { try ResourceURL(longest + "a") }
        #expect(throws: InvalidURL("longer than 4095 bytes")) {
            try ResourceURL("file:///" + String(repeating: "a", count: 100_000))
        }
    }

    @Test(
        "spaces, control characters and backslashes are refused wherever they stand",
        arguments: [
            " http://a.example/", "http://a.example/ ", "http://a.ex ample/", "http://a.example/a b",
            "http://a.example/\n",
            "ht\ntp://a.example/", "http://a.example\t/", "http:\\\\a.example\\x", "http://a.example\\@b.example/",
            "http://a.example/\0", "http://a.example/\u{7F}", "http://a.example/\u{85}", "http://a.example/\u{9B}2J",
            "http://a.example/\r\nHost: b.example", "\u{1B}[2J", " ", "file:///a b", "file:///a\\b",
        ])
    func refusesControlCharacters(given: String) {
        #expect(throws: InvalidURL("contains a space, control character or backslash")) { try ResourceURL(given) }
    }

    @Test(
        "an IPv6 address is checked",
        arguments: [
            ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
            ("::2:3:4:5:6:7:8", true), ("1::3:4:5:6:7:8", true), ("abcd:EF01::", true), ("::ffff:127.0.0.1", true),
            ("1:2:3:4:5:6:1.2.3.4", true), ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8:9", false), (":::", false),
            ("1::2::3", false), (":1", false), ("1:", false), (":", false), ("12345::", false), ("g::", false),
            ("1.2.3.4", false), ("::1.2.3", false), ("::1.2.3.256", false), ("::1.2.3.+4", false),
            ("::1.2.3.4:5", false),
            ("1:2:3:4:5:6:7:1.2.3.4", false), ("::1.2.3.4.5", false), ("1:2:3:4::5:6:7:8", false), ("1.2.3.4::", false),
        ])
    func ipv6(address: String, isValid: Bool) {
        let given = "http://[\(address)]/"
        if isValid {
            #expect(throws: Never.self) { try ResourceURL(given) }
        } else {
            #expect(throws: InvalidURL("has a malformed IPv6 address")) { try ResourceURL(given) }
        }
    }

    @Test(
        "host and origin tell one server from another",
        arguments: [
            ("http://A.example/x", "A.example", "http://a.example:80"),
            ("https://a.example", "a.example", "https://a.example:443"),
            ("http://a.example:/x", "a.example", "http://a.example:80"),
            ("http://a.example:0080", "a.example", "http://a.example:80"),
            ("http://a.example:443?x", "a.example", "http://a.example:443"),
            ("https://u:p@[::1]:1#x", "[::1]", "https://[::1]:1"),
            ("http://[::A]/", "[::A]", "http://[::a]:80"), ("http://a?b:1@c:2", "a", "http://a:80"),
        ])
    func origins(given: String, host: String, origin: String) throws {
        let url = try ResourceURL(given)
        #expect(url.host == host)
        #expect(url.origin == origin)
    }

    @Test("URLs are told apart by their bytes and their credentials")
    func identity() throws {
        let urls = try [
            "http://a.example/\u{E9}", "http://a.example/e\u{301}", "http://a.example/%C3%A9",
            "http://u@a.example/%C3%A9",
            "http://a.example:80/%C3%A9", "https://a.example/%C3%A9",
        ].map { try ResourceURL($0) }
        #expect(Set(urls).count == urls.count)
        #expect(try ResourceURL("HTTP://u@a.example/%C3%A9") == urls[3])
    }

    @Test("URLs that are one text to Unicode don't all have one hash")
    func hashes() throws {
        let urls = try (0..<64).map { number in
            let name = (0..<6).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined()
            return try ResourceURL("http://a.example/\(name)")
        }
        #expect(Set(urls.map(\.hashValue)).count == 64)
        #expect(Set(urls.map(\.key.hashValue)).count == 64)
    }

    @Test(
        "every way to write a file's URL comes to one",
        arguments: [
            ("file:/a/b.json", "/a/b.json", "file:///a/b.json"), ("file:///a/b.json", "/a/b.json", "file:///a/b.json"),
            ("file://localhost/a", "/a", "file:///a"), ("FILE://LOCALHOST/a", "/a", "file:///a"),
            ("file:///a%20b/%c3%a9", "/a b/é", "file:///a%20b/%C3%A9"), ("file:///a/é", "/a/é", "file:///a/%C3%A9"),
            ("file:///%61%2Fb", "/a/b", "file:///a/b"), ("file:///a?x#y", "/a", "file:///a"),
            ("file:///a#x?y", "/a", "file:///a"),
            ("file:///a%3Fb%23%25", "/a?b#%", "file:///a%3Fb%23%25"), ("file:///", "/", "file:///"),
            ("file:////a", "//a", "file:////a"), ("file:///a/../b/./c", "/a/../b/./c", "file:///a/../b/./c"),
            ("file:///a%0A%1B", "/a\n\u{1B}", "file:///a%0A%1B"),
            ("file:///~!$&'()*+,;=:@-._", "/~!$&'()*+,;=:@-._", "file:///~!$&'()*+,;=:@-._"),
        ])
    func files(given: String, path: String, text: String) throws {
        let url = try ResourceURL(given)
        #expect(url.filePath == path)
        #expect(url.text == text)
        #expect(url.credentials == nil)
        #expect(url.host == nil)
        #expect(url.origin == "file:")
        #expect(!url.isRemote)
        #expect(url == ResourceURL(filePath: path))
        #expect(try ResourceURL(url.text) == url)
    }

    @Test(
        "a file: URL that names no file of this machine is refused",
        arguments: [
            ("file:", "not an http(s) URL"), ("file:a", "a file: URL needs an absolute path"),
            ("file:?x", "a file: URL needs an absolute path"),
            ("file://", "a file: URL needs an absolute path"),
            ("file://localhost", "a file: URL needs an absolute path"),
            ("file://server/a", "names a file on another machine"), ("file://a", "names a file on another machine"),
            ("file://localhost:80/a", "names a file on another machine"),
            ("file://127.0.0.1/a", "names a file on another machine"),
            ("file:///a%00b", "has a broken percent-encoding"), ("file:///a%", "has a broken percent-encoding"),
            ("file:///a%2", "has a broken percent-encoding"), ("file:///a%zz", "has a broken percent-encoding"),
            ("file:///a%FF", "has a broken percent-encoding"), ("file:///%C0%AF", "has a broken percent-encoding"),
        ])
    func refusesFiles(given: String, reason: String) {
        #expect(throws: InvalidURL(reason)) { try ResourceURL(given) }
    }
}
