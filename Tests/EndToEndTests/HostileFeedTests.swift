import TestSupport
import Testing

@Suite("Hostile feeds", .timeLimit(.minutes(10)))
struct HostileFeedTests {
    private let program: Program
    private let server: LoopbackServer

    init() throws {
        program = try Program()
        server = try LoopbackServer()
    }

    private static func entity(_ declaration: String) -> String {
        "<!DOCTYPE rss [<!ENTITY \(declaration)>]><rss><a>&x;</a></rss>"
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    /// Hostile feeds, in which BASE stands for the server and SECRET for a file.
    private static let feeds: [String: (text: String, reason: String)] = [
        "billion laughs": (entity("y \"lol\"><!ENTITY x \"&y;&y;&y;&y;\""), "an entity that is not defined"),
        "quadratic blow-up": (entity("x \"\(times(200_000, "a"))\""), "an entity that is not defined"),
        "external file": (entity("x SYSTEM \"file://SECRET\""), "an entity that is not defined"),
        "external URL": (entity("x SYSTEM \"BASE/entity\""), "an entity that is not defined"),
        "parameter entity": (
            entity("% p SYSTEM \"BASE/parameter\"> %p; <!ENTITY x \"y\""), "an entity that is not defined"
        ),
        "external DTD": (
            "<!DOCTYPE rss SYSTEM \"BASE/rss.dtd\"><rss><a>&x;</a></rss>", "an entity that is not defined"
        ),
        "local DTD": ("<!DOCTYPE rss SYSTEM \"file://SECRET\"><rss><a>&x;</a></rss>", "an entity that is not defined"),
        "external DTD and a raw &": (
            "<!DOCTYPE rss SYSTEM \"BASE/rss.dtd\" [<!ENTITY % p SYSTEM \"file://SECRET\"> %p;]><rss>&<a>&x;</a></rss>",
            "a raw \"&\""
        ),
        "XInclude and stylesheets": (
            """
            <?xml-stylesheet href="BASE/style.xsl"?><rss xmlns:xi="http://www.w3.org/2001/XInclude" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="BASE/rss.xsd">\
            <xi:include href="file://SECRET"/><xi:include href="BASE/include"/>
            """, "cut off: \"</rss>\" is missing"
        ),
        "deep XML": ("<rss><channel>\(times(100_000, "<a>"))", "nested more than 200 deep"),
        "deep JSON": (#"{"items":[],"x":\#(times(100_000, "["))"#, "nested more than 512 deep (in x[0][0][0][0][0]"),
        "many attributes": ("<rss \(times(100_000, "a='' "))/>", "a tag with more than 1000 attributes"),
        "cut off": ("<rss><channel><item><title>a", "line 1, column 29: cut off: \"</rss>\" is missing"),
        "wrong encoding": (
            "<?xml version='1.0' encoding='ISO-2022-KR'?><rss>\u{1B}$)C</rss>",
            "the encoding \"ISO-2022-KR\" is not supported"
        ),
        "NUL": ("<rss><channel>\0</channel></rss>", "line 1, column 15: a NUL byte"),
        "HTML page": ("<!doctype html><link rel=x href=BASE/page><img src=BASE/img>", "is an HTML page"),
        "empty": ("", "is empty"),
    ]

    @Test("A hostile feed is refused in one line, without a request or a file", arguments: feeds.keys.sorted())
    func refused(name: String) async throws {
        let (text, reason) = try #require(Self.feeds[name])
        let secret = try program.directory.write("secret", to: "secret.txt")
        let hostile = text.replacing("BASE", with: server.url("")).replacing("SECRET", with: secret)
        server.route("/feed", .text(hostile, type: "text/xml"))
        let trace = program.directory.path("trace")
        let script = #"exec strace -f -qq -e trace=%file,connect -o "$1" "$feedsync" show "$2""#
        let result = try await program.shell(script, trace, server.url("/feed"))
        #expect(result.status == .exited(65), "\(result.errorText)")
        #expect(result.errorLines.count == 1, "\(result.errorText)")
        #expect(result.errorText.contains(reason), "\(result.errorText)")
        #expect(server.requests.map(\.path) == ["/feed"])
        let calls = String(decoding: try Files.bytes(trace), as: UTF8.self).split(separator: "\n")
        #expect(calls.contains { $0.contains("libcurl") })
        #expect(!calls.contains { $0.contains("secret.txt") || $0.contains("rss.dtd") || $0.contains("catalog") })
        #expect(calls.count { $0.contains("connect(") && $0.contains("AF_INET") } == 1)
    }
}
