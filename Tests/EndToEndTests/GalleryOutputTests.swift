import Glibc
import TestSupport
import Testing

/// The effects of a gallery on a directory with foreign files, to which other users may write.
@Suite("The output directory of a gallery", .timeLimit(.minutes(10)))
struct GalleryOutputTests {
    let program: Program
    let server: FeedServer
    let site: String

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        site = program.directory.path("site")
        try await program.run(server.feedURL)
    }

    @discardableResult
    func write(_ options: String..., to path: String? = nil) async throws -> ProcessResult {
        try await program.run(["gallery"] + options + [path ?? site])
    }

    /// Returns everything in a directory: its path, its kind, and the target of a link.
    func contents(_ path: String? = nil) async throws -> [String] {
        let found = try await program.shell(#"cd "$1" && find . -mindepth 1 -printf '%P %y %l\n' | sort"#, path ?? site)
        return found.outputLines.map(String.init)
    }

    /// Returns everything in a directory, with what shows whether a file was written again.
    private func state() async throws -> String {
        try await program.shell(#"cd "$1" && find . -type f -printf '%P %i %C@\n' | sort"#, site).outputText
    }

    @Test("A gallery's directory can be missing, lie below missing ones, be empty, or be a link to a directory")
    func directories() async throws {
        let below = program.directory.path("a/b c/d'e?#%20")
        try program.directory.makeDirectory("empty")
        symlink(program.directory.path("empty"), program.directory.path("link"))
        for path in [below, "\(site)/", program.directory.path("link"), program.directory.path("link")] {
            expectQuiet(try await write(to: path))
            #expect(Files.exists("\(path)/index.html"))
        }
        #expect(Files.names(in: program.directory.path("a/b c")) == ["d'e?#%20"])
        #expect(Files.names(in: program.directory.path("empty")).contains("index.html"))
        let relative = try await program.shell(#"cd "$1" && "$feedsync" gallery new/"#, program.directory.path)
        expectQuiet(relative)
        #expect(Files.exists(program.directory.path("new/index.html")))
    }

    @Test("The directory contains only the gallery, and the cache contains the list and the lock")
    func nothingElse() async throws {
        try await write()
        // The pages and subscriptions of the feed have its name.
        let names = Files.names(in: site).filter { !$0.hasSuffix(".html") && !$0.hasPrefix("127-0-0-1") }
        #expect(names == ["atom.xml", "data", "feed.json", "icon.svg", "images", "script.js", "style.css"])
        let hash = try await program.shell(#"printf %s "$(realpath "$1")" | sha256sum | cut -c 1-64"#, site)
            .outputLines[0]
        #expect(Files.names(in: "\(program.cache)/outputs") == ["\(hash).list", "\(hash).lock"])
    }

    @Test("A second run of an unchanged gallery changes nothing")
    func unchanged() async throws {
        try await write()
        let before = try await state()
        let list = try await program.shell(#"stat -c '%i %Z' "$1"/*.list"#, "\(program.cache)/outputs").outputText
        expectQuiet(try await write())
        #expect(try await state() == before)
        #expect(
            try await program.shell(#"stat -c '%i %Z' "$1"/*.list"#, "\(program.cache)/outputs").outputText == list)
    }

    @Test("Foreign files that block no path of the gallery stay, whatever they are")
    func beside() async throws {
        try program.directory.makeDirectory("site")
        for name in ["sub", "images"] { try program.directory.makeDirectory("site/\(name)") }
        for name in ["notes.txt", ".htaccess", ".feedsync-1.part", "sub/mine", "images/mine.png"] {
            try program.directory.write("mine", to: "site/\(name)")
        }
        symlink("/nowhere", "\(site)/link")
        mkfifo("\(site)/fifo", 0o600)
        let mine = try await contents()
        expectQuiet(try await write())
        server.serve(images: [1])
        try await program.run(server.feedURL)
        expectQuiet(try await write())
        #expect(Files.names(in: "\(site)/images").count == 2)
        try await program.run("remove", server.feedURL)
        expectQuiet(try await write())
        let left = Set(try await contents())
        #expect(left.isSuperset(of: mine))
        #expect(try Files.bytes("\(site)/notes.txt") == Array("mine".utf8))
    }

    private static let obstacles = ["file", "link", "dangling link", "FIFO", "socket", "sparse file", "directory"]

    private func obstruct(_ name: String, by kind: String) async throws {
        let path = "\(site)/\(name)"
        unlink(path)
        switch kind {
        case "file": try program.directory.write("mine", to: "site/\(name)")
        case "link": symlink(try program.directory.write("mine", to: "mine"), path)
        case "dangling link": symlink(program.directory.path("nowhere"), path)
        case "FIFO": mkfifo(path, 0o666)
        case "socket":
            _ = try await program.shell(
                #"python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$1""#, path)
        case "sparse file": _ = try await program.shell(#"truncate -s 1T "$1""#, path)
        default: try program.directory.makeDirectory("site/\(name)")
        }
        #expect(lchown(path, 4711, 4711) == 0 || geteuid() != 0)
    }

    @Test(
        "A foreign file on a path stops a gallery before it writes, and --force replaces all but directories",
        arguments: obstacles, ["index.html", "style.css", "images"])
    func inTheWay(kind: String, name: String) async throws {
        if kind == "directory", name == "images" { return }
        try program.directory.makeDirectory("site")
        try await obstruct(name, by: kind)
        let before = try await contents()
        let command = kind == "directory" ? "move it away" : "`feedsync gallery --force \(site)` replaces them"
        expectOneLine(try await write(), exit: 73, [" \(name)", command])
        #expect(try await contents() == before)

        let forced = try await write("--force")
        if kind == "directory" {
            expectOneLine(forced, exit: 73, [" \(name)", "directory"])
            #expect(try await contents() == before)
        } else {
            expectQuiet(forced)
            let type = name == "images" ? "d" : "f"
            #expect(try await contents().contains("\(name) \(type) "))
            expectQuiet(try await write())
        }
        if kind == "link" { #expect(try program.directory.read("mine") == Array("mine".utf8)) }
        #expect(!Files.exists(program.directory.path("nowhere")))
    }

    @Test("Up to ten foreign files are named, and the rest are counted")
    func many() async throws {
        server.serve(images: Array(0..<20))
        try await program.run(server.feedURL)
        try await write()
        for name in Files.names(in: "\(site)/images") {
            unlink("\(site)/images/\(name)")
            try program.directory.write("mine", to: "site/images/\(name)")
        }
        let result = try await write()
        expectOneLine(result, exit: 73, [" and 10 more; `feedsync gallery --force"])
        #expect(result.errorText.split(separator: "images/").count == 11)
        expectQuiet(try await write("--force"))
        #expect(Files.size("\(site)/images/\(Files.names(in: "\(site)/images")[0])") > "mine".utf8.count)
    }

    @Test("A page that a user has edited is foreign, and one with just a new time is not")
    func edited() async throws {
        try await write()
        _ = try await program.shell(#"touch -d 2001-02-03 "$1""#, "\(site)/style.css")
        expectQuiet(try await write())
        _ = try await program.shell(#"printf ' ' >> "$1"; : > "$2""#, "\(site)/style.css", "\(site)/icon.svg")
        expectOneLine(try await write(), exit: 73, ["style.css", "icon.svg"])
        expectQuiet(try await write("--force"))
        #expect(Files.size("\(site)/icon.svg") > 0)
    }

    @Test("Files with the same bytes are adopted if the list is lost or the directory was moved or copied")
    func adopted() async throws {
        try await write()
        let before = try await state()
        _ = try await program.shell(#"rm -r "$1/outputs""#, program.cache)
        expectQuiet(try await write())
        #expect(try await state() == before)

        let moved = program.directory.path("moved")
        rename(site, moved)
        expectQuiet(try await write(to: moved))
        _ = try await program.shell(#"cp -r "$1" "$2"; rm -r "$1""#, moved, site)
        expectQuiet(try await write())
        server.serve(images: [1])
        try await program.run(server.feedURL)
        expectQuiet(try await write())
        #expect(Files.names(in: "\(site)/images").count == 1)
    }

    @Test(
        "A stranger's file in a directory such as /tmp is not adopted, because it could change later",
        .enabled(if: geteuid() == 0))
    func strangers() async throws {
        try await write()
        let shared = try program.directory.makeDirectory("shared")
        #expect(chmod(shared, 0o1777) == 0)
        _ = try await program.shell(#"cp "$1/script.js" "$2" && chown 4711 "$2/script.js""#, site, shared)
        expectOneLine(try await write(to: shared), exit: 73, ["script.js"])
        expectQuiet(try await write("--force", to: shared))
        #expect(try await program.shell(#"stat -c %u "$1/script.js""#, shared).outputText == "0\n")
    }

    @Test("A gallery of an older version is replaced with --force, as the message says, and its marker stays")
    func olderVersion() async throws {
        try program.directory.makeDirectory("site")
        try program.directory.write("feedsync gallery 1\nindex.html\n", to: "site/.feedsync-gallery")
        try program.directory.write("<html lang=en data-key=abc>", to: "site/index.html")
        expectOneLine(try await write(), exit: 73, ["index.html", "which a gallery of an older version needs once"])
        expectQuiet(try await write("--force"))
        expectQuiet(try await write())
        #expect(Files.exists("\(site)/.feedsync-gallery"))
    }

    @Test("Deleted files of a gallery are made again")
    func incomplete() async throws {
        try await write()
        _ = try await program.shell(#"rm "$1/style.css" "$1"/images/*"#, site)
        expectQuiet(try await write())
        #expect(Files.exists("\(site)/style.css"))
        #expect(Files.names(in: "\(site)/images").count == 2)
    }

    @Test("A changed page keeps its mode and its group, and other files follow the umask")
    func rights() async throws {
        try await write()
        #expect(chmod("\(site)/index.html", 0o640) == 0 && chown("\(site)/index.html", uid_t.max, getgid()) == 0)
        server.serve(images: [1])
        try await program.run(server.feedURL)
        expectQuiet(try await program.shell(#"umask 027; exec "$feedsync" gallery "$1""#, site))
        #expect(try Files.mode("\(site)/index.html") == 0o640)
        let new = program.directory.path("new")
        expectQuiet(try await program.shell(#"umask 027; exec "$feedsync" gallery "$1""#, new))
        let modes = try await program.shell(#"cd "$1" && stat -c %a . images index.html"#, new)
        #expect(modes.outputLines == ["750", "750", "640"])
    }

    @Test(
        "--force is only for one call: neither the config file nor the environment can set it",
        arguments: ["config", "environment"])
    func forceIsGiven(where place: String) async throws {
        let config = try program.directory.write(place == "config" ? "force = true\n" : "", to: "config")
        let result = try await program.run(
            ["gallery", "--config", config, site], environment: place == "config" ? [:] : ["FEEDSYNC_FORCE": "true"])
        #expect(result.status == .exited(78), "\(result.errorText)")
        #expect(!Files.exists(site))
    }
}
