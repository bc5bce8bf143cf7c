import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Hostile input", .timeLimit(.minutes(10)))
struct HostileTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    /// Returns whether a text is free of bytes that a terminal acts on, except line ends.
    private func expectHarmless(_ result: ProcessResult, sourceLocation: SourceLocation = #_sourceLocation) {
        for scalar in (result.outputText + result.errorText).unicodeScalars where scalar != "\n" {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isBidirectional = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            #expect(
                !isControl && !isBidirectional, "U+\(String(scalar.value, radix: 16))", sourceLocation: sourceLocation)
        }
    }

    private static let terminalText = #"\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202egnp.exe\u0000\b tail"#

    @Test("Control characters in a feed's text are escaped on output and unchanged in JSON")
    func text() async throws {
        let item =
            #"{"id":"\#(FeedServer.id(0))","description":"\#(Self.terminalText)","location":"\#(Self.terminalText)","#
            + #""image":"\#(server.imageURL(0))"}"#
        server.serve(feed: FeedServer.feed(items: [item]))
        for options in [[], ["--offline"]] {
            let shown = try await program.run(["show", server.feedURL] + options)
            #expect(shown.status == .exited(0))
            expectHarmless(shown)
            #expect(shown.outputText.contains(#"\u{1B}]0;owned\u{7}"#))
            #expect(shown.outputLines.count == 5, "a line break in a text is none in the output")
        }
        let json = try await program.run("show", "--json", server.feedURL)
        #expect(
            json.outputText.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            })
        let expected = "\u{1B}]0;owned\u{7}\u{1B}[2J\r\n\u{9B}31m\u{202E}gnp.exe\0\u{8} tail"
        #expect(try json.json["images"]?[0]?["description"]?.string == expected)
    }

    @Test("Control characters that a message quotes are escaped")
    func quoted() async throws {
        for body in [
            #"{"items":[{"id":"\#(Self.terminalText)","image":"http://h/"}]}"#, "\u{1B}[2Jhello\u{9B}1m",
            #"{"items":[{"id":"\#(FeedServer.id(0))","image":"http://h/\#(Self.terminalText)"}]}"#,
            "{\"items\u{1B}[2J\":1}", #"{"items":[{"id":"\u001b[31m"#,
        ] {
            server.serve(feed: body)
            for command in ["sync", "show"] {
                let result = try await program.run(command, server.feedURL)
                #expect(result.status == .exited(65))
                expectHarmless(result)
            }
        }
    }

    @Test("Control characters in operands, options and variables are escaped")
    func arguments() async throws {
        let nasty = "\u{1B}[2J\u{9B}m\r"
        for arguments in [
            [nasty], ["--\(nasty)"], ["sync", "--jobs", nasty], ["./\(nasty)"], ["http://\(nasty)/"],
            ["\(nasty)://h/"], ["show", "http://h/", nasty], ["--cache", "/proc/\(nasty)", server.feedURL],
            ["help", nasty], ["-\u{9B}"],
        ] {
            let result = try await program.run(arguments)
            #expect(result.exitCode.map { $0 > 0 } == true)
            expectHarmless(result)
        }
        expectHarmless(try await program.run("sync", environment: ["FEEDSYNC_\(nasty)": "1"]))
        expectHarmless(try await program.run("sync", environment: ["FEEDSYNC_JOBS": nasty]))
    }

    @Test(
        "Control characters in headers are escaped",
        arguments: [
            Reply.redirect(to: "http://h/\u{1B}[2J"), .redirect(to: "\u{1B}[2J"), .redirect(to: "x\u{1B}]0;a\u{7}:y"),
            .raw("HTTP/1.1 200 \u{1B}[2J\r\nContent-Length: \u{1B}[2J\r\n\r\n"), .raw("\u{1B}[2J\r\n\r\n"),
            Reply(headers: [("Content-Encoding", "\u{1B}[2J")], body: Array("{}".utf8)),
        ])
    func headers(_ reply: Reply) async throws {
        server.server.route("/feed.json", reply)
        let result = try await program.run(server.feedURL)
        #expect([65, 69].contains(result.exitCode))
        expectHarmless(result)
    }

    @Test("A description of ten megabytes is accepted and shown")
    func longText() async throws {
        let text = String(repeating: "Lorem ipsum ", count: 850_000)
        let item = #"{"id":"\#(FeedServer.id(0))","description":"\#(text)","image":"\#(server.imageURL(0))"}"#
        server.serve(feed: FeedServer.feed(items: [item]))
        expectQuiet(try await program.run(server.feedURL))
        let json = try await program.run("show", "--offline", "--json", server.feedURL)
        #expect(json.standardOutput.count > 10_000_000)
        #expect(try await program.run("show", "--offline", server.feedURL).standardOutput.count > 10_000_000)
    }

    @Test(
        "The lock and the database are created exclusively, so that no other file is used instead",
        arguments: ["lock", "feedsync.sqlite"])
    func justBeingMade(_ name: String) async throws {
        let (result, trace) = try await program.trace("sync", server.feedURL)
        expectQuiet(result)
        let making = trace.calls.first {
            $0.name == "openat" && $0.paths.contains(name) && $0.arguments.contains("O_CREAT")
        }
        #expect(making?.arguments.contains("O_EXCL") == true, "\(making?.arguments ?? "none")")
    }
}
