import FeedCore
import Testing

@Suite struct URLResolvingTests {
    @Test(
        "the examples of RFC 3986, sections 5.4.1 and 5.4.2",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
        ])
    func examples(reference: String, target: String) throws {
        #expect(try ResourceURL("http://a/b/c/d;p?q").resolving(reference).text == target)
    }

    @Test(
        "the examples of RFC 3986 that are not http(s) URLs are refused",
        arguments: [("g:h", "not an http(s) URL"), ("http:g", "has no host")])
    func otherExamples(reference: String, reason: String) throws {
        let base = try ResourceURL("http://a/b/c/d;p?q")
        #expect(throws: InvalidURL(reason)) { try base.resolving(reference) }
    }

    @Test(
        "other bases and references",
        arguments: [
            ("http://a", "g", "http://a/g"), ("http://a", "?x", "http://a?x"), ("http://a?q", "", "http://a?q"),
            ("http://a?q#f", "#g", "http://a?q#g"), ("http://a#f", "", "http://a"), ("http://a", "../g", "http://a/g"),
            ("http://a/b?c/d", "e", "http://a/e"), ("http://a/b#c/d", "e", "http://a/e"),
            ("http://a:81/b/", "c", "http://a:81/b/c"),
            ("http://[::1]:81/b", "/c", "http://[::1]:81/c"), ("https://a/b", "//c/d", "https://c/d"),
            ("https://a/b", "http://c/x/../d", "http://c/d"), ("https://a/b", "HTTP://c", "http://c"),
            ("http://a/b", "./c:d/../e", "http://a/e"), ("http://a//b//c", "../d", "http://a//b/d"),
            ("http://a/b/", "x/?y=http://z", "http://a/b/x/?y=http://z"), ("http://a/b", "?", "http://a/b?"),
            ("http://a/b", "#", "http://a/b#"),
            ("http://a/b/c", "日本", "http://a/b/日本"), ("http://a/b/c", "%2e%2e/d", "http://a/b/%2e%2e/d"),
            ("http://a/b/c", "x/1:2", "http://a/b/x/1:2"), ("http://a/b/c", "/\u{301}/../x", "http://a/x"),
            ("file:///a/b", "c", "file:///a/c"), ("file:///a/b", "../../../c", "file:///c"),
            ("file:///a/b", "%2e%2e/c", "file:///c"),
            ("file:///a/b", "x/..%2F..%2Fc", "file:///c"), ("file:///a/b", "", "file:///a/b"),
            ("file:///a/b", "?x#y", "file:///a/b"),
            ("file:///a/b", "http://c/d", "http://c/d"), ("file:///a/b", "///c", "file:///c"),
            ("file:///a/b", "//localhost/c", "file:///c"),
        ])
    func resolves(base: String, reference: String, target: String) throws {
        #expect(try ResourceURL(base).resolving(reference).text == target)
    }

    @Test(
        "credentials stay with the server they were given for",
        arguments: [
            ("x", "user:pass"), ("?x", "user:pass"), ("/x", "user:pass"), ("", "user:pass"), ("//b.example/x", nil),
            ("http://a.example/x", nil), ("//other@a.example/x", "other"), ("https://other:p@b.example/", "other:p"),
        ] as [(String, String?)])
    func credentials(reference: String, credentials: String?) throws {
        #expect(try ResourceURL("http://user:pass@a.example/b").resolving(reference).credentials == credentials)
    }

    @Test(
        "nothing that comes from the network can mean a local file",
        arguments: ["file:///etc/passwd", "FILE:/etc/passwd", "file://localhost/etc/passwd"])
    func localFiles(reference: String) throws {
        let base = try ResourceURL("http://a.example/")
        #expect(throws: InvalidURL("a file: URL, which only a local feed may name")) { try base.resolving(reference) }
    }

    @Test(
        "a reference with a space, control character or backslash is refused",
        arguments: ["a b", "\t/../x", "x\n", "\\\\b.example", "/\\b.example", "x\u{9B}"])
    func refuses(reference: String) throws {
        let base = try ResourceURL("http://a.example/")
        #expect(throws: InvalidURL("contains a space, control character or backslash")) {
            try base.resolving(reference)
        }
    }

    @Test(
        "a file is beside another if it is in its directory or below",
        arguments: [
            ("/a/f.json", "/a/x.png", true), ("/a/f.json", "/a/b/x.png", true), ("/a/f.json", "/a/f.json", true),
            ("/f.json", "/b/x.png", true), ("/a/b/../f.json", "/a/x.png", true), ("/a/f.json", "/a/b/../x.png", true),
            ("/a/f.json", "/x.png", false), ("/a/f.json", "/ab/x.png", false), ("/a/f.json", "/a/../x.png", false),
            ("/a/f.json", "/a", false), ("/a/f.json", "/a/", false), ("/a/f.json", "/a/b/", false),
            ("/a/f.json", "/a/b/..", false),
        ])
    func beside(feed: String, image: String, isBeside: Bool) throws {
        #expect(ResourceURL(filePath: image).isBeside(ResourceURL(filePath: feed)) == isBeside)
    }

    @Test("a URL on the network is not beside any file")
    func remoteIsNotBeside() throws {
        let remote = try ResourceURL("http://a.example/x")
        #expect(!remote.isBeside(ResourceURL(filePath: "/x")))
        #expect(!ResourceURL(filePath: "/x").isBeside(remote))
    }
}
