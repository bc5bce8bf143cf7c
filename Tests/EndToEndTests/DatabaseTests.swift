import Glibc
import JSONText
import TestSupport
import Testing

@Suite("A database that can't be used", .timeLimit(.minutes(10)))
struct DatabaseTests {
    enum Damage: CaseIterable, Sendable {
        case garbage, truncated, emptied, directory, otherProgram, overwritten, noTables

        func apply(to program: Program) async throws {
            let path = program.database
            switch self {
            case .garbage: try program.directory.write(Array(repeating: 0x5A, count: 5000), to: "cache/feedsync.sqlite")
            case .truncated: truncate(path, 3000)
            case .emptied: truncate(path, 0)
            case .directory:
                unlink(path)
                mkdir(path, 0o700)
            case .otherProgram:
                unlink(path)
                try await program.sql("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
            case .overwritten:
                let bytes = try Files.bytes(path)
                try program.directory.write(
                    bytes.prefix(4096) + Array(repeating: 0xFF, count: bytes.count - 4096),
                    to: "cache/feedsync.sqlite")
            case .noTables: try await program.sql("DROP TABLE items")
            }
        }
    }

    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private var commands: [[String]] {
        [
            ["sync", server.feedURL], ["sync"], ["sync", "-n", server.feedURL], ["show", server.feedURL],
            ["show", "--json", server.feedURL],
            ["show", "--offline", server.feedURL], ["status"], ["status", "--json"],
            ["image", "--offline", server.imageURL(0)],
        ]
    }

    @Test(
        "A database that can't be used is reported by every command with a hint, and left as it is",
        arguments: Damage.allCases)
    func refused(_ damage: Damage) async throws {
        try await program.run(server.feedURL)
        try await damage.apply(to: program)
        let before = damage == .directory ? [] : try Files.bytes(program.database)
        // A killed run may have left an empty database, with which the next run continues.
        let commands =
            damage == .emptied ? commands.filter { !$0.contains(server.feedURL) || $0.contains("-n") } : commands
        for command in commands {
            let result = try await program.run(command)
            #expect(result.status == .exited(74), "\(command) \(result.errorText)")
            #expect(result.outputText.isEmpty, "\(command)")
            #expect(result.errorText.contains(program.database), "\(command) \(result.errorText)")
            #expect(result.errorText.contains("feedsync validate"), "\(command) \(result.errorText)")
        }
        if damage != .directory { #expect(try Files.bytes(program.database) == before) }
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("An invalid URL at the largest possible position of an image fails an export")
    func lastPlace() async throws {
        try await program.run(server.feedURL)
        try await program.sql("UPDATE items SET position = 9223372036854775807, url = 'x' WHERE position = 1")
        expectOneLine(try await program.run("export", program.directory.path("cache.tar")), exit: 74, ["URL"])
    }

    @Test("validate sets a broken database aside and starts a new one", arguments: Damage.allCases)
    func setAside(_ damage: Damage) async throws {
        try await program.run(server.feedURL)
        try await damage.apply(to: program)

        let result = try await program.run("validate")
        #expect(result.status == .exited(0) && result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorText.contains(program.database) && result.errorText.contains("set aside"))
        #expect(result.errorText.contains("deleted 0 feeds and 2 images"))

        #expect(Files.names(in: program.cache).contains { $0.hasPrefix("feedsync.sqlite.unreadable") })
        expectQuiet(try await program.run("validate"))
        #expect(try await program.status()["feeds"]?.array?.isEmpty == true)
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test(
        "validate sets a database aside whose index contradicts its table",
        arguments: ["INSERT INTO entries VALUES ('http://elsewhere/', 77)", "DELETE FROM entries"], [[], ["-n"]])
    func disagreement(change: String, options: [String]) async throws {
        try await program.run(server.feedURL)
        try await program.changeIndexOfFeeds(change)

        let result = try await program.run(["validate"] + options)

        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect((result.outputText + result.errorText).contains("set aside"))
        let isSetAside = Files.names(in: program.cache).contains("feedsync.sqlite.unreadable-1")
        #expect(isSetAside == options.isEmpty)
        guard isSetAside else { return }
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test(
        "A dry run of validate leaves a broken database alone and says what would happen to it",
        arguments: Damage.allCases)
    func wouldBeSetAside(_ damage: Damage) async throws {
        try await program.run(server.feedURL)
        try await damage.apply(to: program)
        let before = damage == .directory ? [] : try Files.bytes(program.database)
        let names = Files.names(in: program.cache)

        let plan = try await program.run("validate", "-n")
        let json = try await program.run("validate", "-n", "--json")

        #expect(plan.status == .exited(0), "\(plan.errorText)")
        #expect(plan.errorText == "")
        let line = plan.outputLines.first ?? ""
        #expect(line.hasPrefix("would set aside the database as feedsync.sqlite.unreadable-1"))
        #expect(line.contains(program.database))
        #expect(json.errorText.contains("would set aside"))
        if damage != .directory { #expect(try Files.bytes(program.database) == before) }
        #expect(Files.names(in: program.cache) == names)
        #expect(Files.names(in: program.imageDirectory).count == 2)
        // The prediction is what then happens.
        #expect(try await program.run("validate", "--json").json == json.json)
    }

    @Test("A sync continues with an empty database, whatever images exist")
    func emptied() async throws {
        try await program.run(server.feedURL)
        try await Damage.emptied.apply(to: program)
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test("Every command, even validate, refuses a database with a newer schema and leaves it alone")
    func newer() async throws {
        try await program.run(server.feedURL)
        try await program.sql("PRAGMA user_version = 99")
        let before = try Files.bytes(program.database)
        for command in commands + [["validate"], ["validate", "--deep"], ["validate", "-n"]] {
            let result = try await program.run(command)
            #expect(result.status == .exited(74), "\(command) \(result.errorText)")
            #expect(result.outputText == "", "\(command)")
            #expect(result.errorText.contains("newer"), "\(command) \(result.errorText)")
            #expect(!result.errorText.contains("feedsync validate"), "\(command) \(result.errorText)")
        }
        #expect(try Files.bytes(program.database) == before)
        #expect(Files.names(in: program.cache).filter { $0.hasPrefix("feedsync.sqlite.") } == [])
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("validate loses only the one feed in the database that can't be read")
    func oneFeed() async throws {
        let other = try FeedServer(images: 1)
        try await program.run(server.feedURL, other.feedURL)
        try await program.sql(
            "UPDATE items SET url = 'nonsense' WHERE feed = (SELECT id FROM feeds WHERE url = '\(server.feedURL)')")
        expectOneLine(
            try await program.run("export", program.directory.path("cache.tar")), exit: 74,
            [server.feedURL, "feedsync validate"])
        expectQuiet(try await program.run("export", program.directory.path("cache.tar"), other.feedURL))
        let shown = try await program.run("show", "--offline", server.feedURL)
        #expect(shown.status == .exited(74))
        #expect(shown.errorText.contains("feedsync validate"))
        let validated = try await program.run("validate", "--json")
        #expect(try validated.json["feeds_deleted"] == [.string(server.feedURL)])
        #expect(!validated.errorText.contains("feedsync validate"))
        #expect(try await program.run("show", "--offline", other.feedURL).status == .exited(0))
    }
}
