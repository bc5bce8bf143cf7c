import FeedCore
import Testing

@Suite("A host's name in the one form in which it is asked for") struct HostNameTests {
    @Test(
        "a name beyond ASCII becomes the one that libcurl asks for, whatever stands around it",
        arguments: [
            ("http://straße.test/", "http://xn--strae-oqa.test/"),
            // libidn2 takes the capital for ss, Swift's lowercased() for ß: two hosts that were one origin.
            ("http://straẞe.test/", "http://strasse.test/"),
            ("http://BÜCHER.Example:81/X", "http://xn--bcher-kva.example:81/X"),
            ("HTTPS://u:p@bücher.example?q", "https://xn--bcher-kva.example?q"),
            ("http://bu\u{308}cher.example/", "http://xn--bcher-kva.example/"),
            ("http://i❤.example/", "http://xn--i-7iq.example/"),
            ("http://ｌｏｃａｌｈｏｓｔ/", "http://localhost/"), ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/x", "http://localhost/x"),
            ("http://local\u{AD}host/", "http://localhost/"),
            ("http://local\u{200B}host:8080/", "http://localhost:8080/"),
            ("http://localhost。/", "http://localhost./"), ("http://foo.ｌocalhost/", "http://foo.localhost/"),
            ("http://１２７.０.０.１/", "http://127.0.0.1/"), ("http://①②⑦。0。0。①/", "http://127.0.0.1/"),
        ])
    func ascii(given: String, text: String) throws { #expect(try ResourceURL(given).text == text) }

    @Test(
        "a host that is none in ASCII is refused",
        arguments: [
            "http://\u{AD}/", "http://a℀b.example/", "http://a：80/", "http://ａ＠b/", "http://\u{FFFD}.example/",
            "http://é\\u{2024}@/",
        ])
    func refused(given: String) { #expect(throws: InvalidURL.self) { try ResourceURL(given) } }

    @Test("a name in ASCII stays as it is written; its case makes no other origin")
    func plain() throws {
        #expect(try ResourceURL("http://A.Example/").text == "http://A.Example/")
        #expect(try ResourceURL("http://A.Example/").origin == ResourceURL("http://a.example:80").origin)
    }

    @Test("two Unicode spellings of one host are one origin, and a host that only looks alike is another")
    func origins() throws {
        let sharp = try ResourceURL("http://straße.test/")
        #expect(try sharp.origin == ResourceURL("http://STRAßE.test/x").origin)
        #expect(try sharp.origin == ResourceURL("http://xn--strae-oqa.test:80/").origin)
        #expect(try sharp.origin != ResourceURL("http://straẞe.test/").origin)
        #expect(try sharp.resolving("//straẞe.test/x").text == "http://strasse.test/x")
    }

    @Test("credentials for one of two hosts that look alike are not sent to the other")
    func secrets() throws {
        let secrets = try #require(
            try OwnCredentials(headers: ["X: y"]).secrets(for: ResourceURL("http://u:p@straße.test/")))
        for host in ["straẞe.test", "strasse.test"] {
            let request = HTTPRequest(url: try ResourceURL("http://\(host)/"), maxBytes: 1, secrets: secrets)
            #expect(request.secretsToSend == nil)
        }
    }
}
