import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Progress on a terminal", .timeLimit(.minutes(10)))
struct ProgressTests {
    private let program: Program
    private let server: FeedServer
    private let gate = Gate()

    /// Serves two images, of which the second arrives only when the gate is opened.
    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        server.serve(Reply(body: FeedServer.image(1), gate: gate), at: 1)
    }

    @Test("The progress is one line that fits, disappears at the end, and leaves a summary", arguments: [20, 80, 200])
    func widths(columns: Int) async throws {
        let terminal = try PseudoTerminal(columns: columns)
        let run = try program.start([server.feedURL], on: terminal)
        #expect(await terminal.shows { $0.contains("1/2") })
        gate.open()
        let result = await run.wait()
        #expect(result.status == .exited(0))
        let screen = Screen(result.outputText)
        #expect(screen.drawn.contains { $0.contains("1/2") })
        for line in screen.drawn { #expect(line.count < columns, "\(line)") }
        #expect(screen.lines.count == 1, "\(screen.lines)")
        #expect(screen.lines.first?.hasPrefix("feedsync: 1 feed, 2 images: 0 cached, 2 downloaded") == true)
        if columns >= 80 { #expect(screen.drawn.contains { $0.contains("1/2 images  50%") }) }
        if columns == 200 { #expect(screen.drawn.contains { $0.hasPrefix("127.0.0.1  [##############....") }) }
    }

    @Test("The progress line follows a terminal that is resized")
    func resized() async throws {
        let terminal = try PseudoTerminal(columns: 200)
        let run = try program.start([server.feedURL], on: terminal)
        #expect(await terminal.shows { $0.contains("127.0.0.1  [") })
        for columns in [20, 80, 200] {
            try terminal.resize(columns: columns)
            let position = terminal.position
            // A line drawn before the change of size may still arrive; after two more lines, the size applies.
            #expect(await terminal.shows(from: position) { $0.split(separator: "\r").count > 4 })
            let later = terminal.position
            #expect(await terminal.shows(from: later) { $0.split(separator: "\r").count > 3 })
        }
        gate.open()
        let result = await run.wait()
        let screen = Screen(result.outputText)
        #expect(screen.drawn.contains { $0.contains("1/2") && $0.count < 20 })
        #expect(screen.drawn.contains { $0.contains("1/2") && (20..<80).contains($0.count) })
        #expect(screen.lines.count == 1)
    }

    @Test("An archive is not written to a terminal")
    func typedArchive() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let result = await (try program.start(["import", "--restore", "-"], on: terminal)).wait()
        #expect(result.status == .exited(64))
        #expect(
            Screen(result.outputText).lines == [
                "feedsync: standard input is a terminal, and an archive is not for typing: redirect it"
            ])
    }

    @Test("An image is not written to a terminal")
    func image() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let result = await (try program.start(["image", server.imageURL(0)], on: terminal)).wait()
        #expect(result.status == .exited(73))
        #expect(result.outputText.contains("-o FILE"))
        #expect(server.requestCount == 0)
    }

    @Test("Ctrl-C leaves the terminal clean and says what was kept")
    func interrupted() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.start([server.feedURL], on: terminal)
        #expect(await terminal.shows { $0.contains("1/2") })
        terminal.type("\u{3}")
        let result = await run.wait()
        gate.open()
        #expect(result.status == .exited(130))
        let screen = Screen(result.outputText)
        #expect(screen.lines.count == 1, "\(screen.lines)")
        #expect(screen.lines[0].hasPrefix("feedsync: 1 feed, 2 images: 0 cached, 1 downloaded"))
        #expect(screen.lines[0].contains("stopped after"))
        #expect(screen.rest == "")
    }

    @Test("Messages appear whole above the progress line")
    func lines() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.start(["-v", server.feedURL], on: terminal)
        #expect(await terminal.shows { $0.contains("1/2") })
        gate.open()
        let screen = Screen(await run.wait().outputText)
        #expect(screen.lines.allSatisfy { $0.hasPrefix("feedsync: ") }, "\(screen.lines)")
        #expect(screen.lines.contains { $0.hasSuffix("/1.png: downloaded, 94") || $0.contains("/1.png: downloaded") })
    }

    @Test(
        "The progress line is not drawn where it is harmful or unwanted",
        arguments: [
            (["--progress", "never"], ["TERM": "xterm"]), ([], ["TERM": "dumb"]), ([], [:]),
            (["-q"], ["TERM": "xterm"]),
            (["--log-format", "json"], ["TERM": "xterm"]),
        ])
    func undrawn(options: [String], environment: [String: String]) async throws {
        gate.open()
        server.serve(Reply(404), at: 1)
        let terminal = try PseudoTerminal(columns: 80)
        let result = try await program.start(options + [server.feedURL], on: terminal, environment: environment).wait()
        #expect(result.status == .exited(23))
        #expect(!result.outputText.contains("\u{1B}"))
        #expect(Screen(result.outputText).drawn == [])
    }

    @Test("Failures are red unless NO_COLOR is set", arguments: ["", "1"])
    func colours(noColour: String) async throws {
        server.serve(Reply(404), at: 0)
        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.start(
            [server.feedURL], on: terminal, environment: ["TERM": "xterm", "NO_COLOR": noColour])
        #expect(await terminal.shows { $0.contains("1 failed") })
        gate.open()
        let text = await run.wait().outputText
        #expect(text.contains("\u{1B}[31m1 failed\u{1B}[0m") == noColour.isEmpty)
        #expect(text.contains("\u{1B}[31m") == noColour.isEmpty)
    }

    @Test("A pipe gets no progress line unless an option asks for it")
    func piped() async throws {
        gate.open()
        expectQuiet(try await program.run(server.feedURL, environment: ["TERM": "xterm"]))
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(5), gate: gate), at: 1)
        let run = try program.startShell(
            #"exec "$feedsync" --progress always --revalidate "$1" 2> "$2""#, server.feedURL,
            program.directory.path("err"))
        while run.result == nil, (try? Files.bytes(program.directory.path("err")))?.isEmpty ?? true {
            try await Task.sleep(for: .milliseconds(5))
        }
        gate.open()
        #expect(await run.wait().status == .exited(0))
        let text = String(decoding: try Files.bytes(program.directory.path("err")), as: UTF8.self)
        #expect(text.contains("/2 images"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test("export and import show a progress line and leave none of it")
    func archives() async throws {
        gate.open()
        try await program.run(server.feedURL)
        let archive = program.directory.path("archive.tar")
        let commands = [
            ["export", archive], ["import", "--restore", archive, "--cache", program.directory.path("other")],
        ]
        for command in commands {
            let terminal = try PseudoTerminal(columns: 80)
            let result = try await program.start(command + ["--progress", "always"], on: terminal).wait()
            #expect(result.status == .exited(0), "\(result.outputText)")
            let screen = Screen(result.outputText)
            #expect(screen.lines.count == 1 && screen.lines[0].hasPrefix("feedsync: "), "\(screen.lines)")
            #expect(screen.rest == "")
        }
        // The run is seen waiting for its input.
        let pipe = program.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        let bytes = try Files.bytes(archive)
        #expect(write(writer, bytes, bytes.count / 2) == bytes.count / 2)
        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.start(
            ["import", "--restore", pipe, "--cache", program.directory.path("third")], on: terminal)
        #expect(await terminal.shows { $0.contains("importing") && $0.contains("images") })
        let rest = Array(bytes.dropFirst(bytes.count / 2))
        #expect(write(writer, rest, rest.count) == rest.count)
        close(writer)
        #expect(await run.wait().status == .exited(0))
    }

    @Test("The progress line is always drawn if an option asks for it, even in the shortest run")
    func shortRun() async throws {
        gate.open()
        let result = try await program.run("--progress", "always", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.errorText.contains("2/2"), "\(result.errorText)")
    }

    @Test(
        "Commands that read all images show a progress line too",
        arguments: [
            (["export", "archive.tar"], "exporting", 65, "is damaged"),
            (["validate", "--deep"], "checking", 65, "moved 1 damaged image to damaged/"),
        ] as [([String], String, Int32, String)])
    func reading(_ command: [String], _ word: String, _ code: Int32, _ end: String) async throws {
        gate.open()
        try await program.run(server.feedURL)
        // Hashing this file takes longer than drawing a line, and the file takes no space.
        let image = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))"
        #expect(chmod(image, 0o600) == 0 && truncate(image, 1 << 29) == 0)
        try await program.sql("UPDATE data SET size = 1 << 29 WHERE url = '\(server.imageURL(1))'")
        let terminal = try PseudoTerminal(columns: 200)
        let arguments = command.map { $0.hasSuffix(".tar") ? program.directory.path($0) : $0 }
        let run = try program.start(arguments, on: terminal)
        #expect(await terminal.shows { $0.contains(word) })
        let result = await run.wait()
        #expect(result.status == .exited(code), "\(result.outputText)")
        #expect(Screen(result.outputText).lines.contains { $0.contains(end) }, "\(result.outputText)")
    }
}

/// A model of a terminal, as far as a progress line uses one.
private struct Screen {
    /// The lines that stay.
    private(set) var lines: [String] = []
    /// The lines that were overwritten or erased.
    private(set) var drawn: [String] = []
    /// The content of the last line.
    private(set) var rest = ""

    init(_ text: String) {
        var column = 0
        var row: [Character] = []
        var characters = Array(text.unicodeScalars.map(Character.init))[...]
        while let character = characters.popFirst() {
            switch character {
            case "\r":
                let line = Self.trimmed(row)
                if !line.isEmpty, characters.first != "\n" { drawn.append(line) }
                column = 0
            case "\n":
                lines.append(Self.trimmed(row))
                row = []
                column = 0
            case "\u{1B}":
                let end = characters.firstIndex { $0.isLetter } ?? characters.endIndex - 1
                if characters[end] == "K" { row = Array(row.prefix(column)) }
                characters = characters[(end + 1)...]
            default:
                while row.count <= column { row.append(" ") }
                row[column] = character
                column += 1
            }
        }
        rest = Self.trimmed(row)
    }

    private static func trimmed(_ row: [Character]) -> String {
        String(row.reversed().drop { $0 == " " }.reversed())
    }
}
