import JSONText
import TestSupport
import Testing

@Suite("The help on JSON", .timeLimit(.minutes(10)))
struct JSONTopicTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        server.serve(Reply(404), at: 1)
    }

    /// Returns the words of each section of `help json` by its heading.
    private func sections() async throws -> [String: Set<String>] {
        var sections: [String: Set<String>] = [:]
        var heading = ""
        for line in try await program.run("help", "json").outputLines {
            if line.hasSuffix(":"), !line.hasPrefix(" ") {
                heading = String(line.dropLast())
            } else {
                let words = line.split { !($0.isLetter || $0 == "_" || $0 == ".") }.map { word in
                    String(word.hasSuffix(".") ? word.dropLast() : word)
                }
                sections[heading, default: []].formUnion(words)
            }
        }
        return sections
    }

    private func paths(_ value: JSONValue, below path: String = "") -> Set<String> {
        switch value {
        case .object(let members):
            members.reduce(into: []) { $0.formUnion(paths($1.1, below: path.isEmpty ? $1.0 : "\(path).\($1.0)")) }
        // An empty list has no members to document.
        case .array(let elements) where elements.isEmpty: []
        case .array(let elements) where elements.contains { if case .object = $0 { true } else { false } }:
            elements.reduce(into: []) { $0.formUnion(paths($1, below: path)) }
        default: [path]
        }
    }

    private func output(_ arguments: String...) async throws -> JSONValue {
        let result = try await program.run(arguments)
        return try JSONValue.parse(Array((result.outputLines.first ?? "").utf8)).afterVersion
    }

    @Test("every member of every output is documented") func complete() async throws {
        let feed = server.feedURL
        let (archive, site) = (program.directory.path("a.tar"), program.directory.path("site"))
        try await program.run(feed)
        var outputs: [(heading: String, JSONValue)] = [
            ("show", try await output("show", "--json", feed)), ("find", try await output("find", "--json")),
            ("export", try await output("export", "--json", archive)),
            ("gallery", try await output("gallery", "--json", site)),
            ("tree", try await output("tree", "--json", program.directory.path("tree"))),
            ("validate, remove", try await output("remove", "--json", feed)),
            ("import", try await output("import", "--json", archive)),
            ("import", try await output("import", "--json", "\(site)/index.html")),
            ("sync --print-new", try await output("--print-new", try copy(server))),
            ("sync", try await output("--json", "--retry-failed", feed)),
        ]
        server.server.route("/feed.json", Reply(503))
        outputs.append(("sync", try await output("--json", "--max-age", "0s", feed)))
        outputs.append(("status", try await output("status", "--json")))
        outputs.append(("validate, remove", try await output("validate", "--json", "--max-age", "0s")))
        let sections = try await sections()
        for (heading, output) in outputs {
            var known = try #require(sections[heading], "\(heading)")
            if heading == "find" {
                known.formUnion((sections["show"] ?? []).map { String($0.trimmingPrefix("images.")) })
            }
            #expect(paths(output).subtracting(known) == [], "\(heading)")
        }
        #expect(outputs.count == 13)
    }

    /// Serves the images of the server as another feed, and returns its URL.
    private func copy(_ server: FeedServer) throws -> String {
        server.server.route("/other.json", .text(FeedServer.feed([server.imageURL(5)])))
        server.serve(.png(5), at: 5)
        return server.server.url("/other.json")
    }
}
