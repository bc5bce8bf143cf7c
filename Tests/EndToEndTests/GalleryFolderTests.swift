import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The folder of a gallery, from outside", .timeLimit(.minutes(10)))
struct GalleryFolderTests {
    let program: Program
    let server: FeedServer
    let site: String

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        site = program.folder.path("site")
        try await program.run(server.feedURL)
    }

    @discardableResult
    func write(_ place: String? = nil) async throws -> ProcessResult {
        try await program.run("gallery", place ?? site)
    }

    @Test("may be missing, with others above it, be empty, or be named in any way")
    func places() async throws {
        let below = program.folder.path("a/b c/d'e?#%20")
        try program.folder.makeDirectory("empty")
        symlink(program.folder.path("empty"), program.folder.path("link"))
        for place in [below, "\(site)/", program.folder.path("link"), program.folder.path("link")] {
            expectQuiet(try await write(place))
            #expect(Files.exists("\(place)/index.html"))
        }
        #expect(Files.names(in: program.folder.path("a/b c")) == ["d'e?#%20"])
        #expect(Files.names(in: program.folder.path("empty")).contains("index.html"))
        let relative = try await program.shell(#"cd "$1" && "$feedsync" gallery new/"#, program.folder.path)
        expectQuiet(relative)
        #expect(Files.exists(program.folder.path("new/index.html")))
    }

    @Test("with somebody else's files is refused and left alone", arguments: ["notes.txt", ".htaccess", "sub"])
    func foreign(name: String) async throws {
        try program.folder.makeDirectory("site")
        try program.folder.makeDirectory("site/sub")
        if name != "sub" { try program.folder.write("mine", to: "site/\(name)") }
        expectOneLine(try await write(), exit: 73, [site])
        #expect(Set(Files.names(in: site)) == [name, "sub"])
    }

    @Test(
        "that somebody added something to is refused, naming it, and left alone",
        arguments: ["notes.txt", "images/mine.png", "sub"])
    func added(name: String) async throws {
        try await write()
        if name == "sub" {
            try program.folder.makeDirectory("site/sub")
        } else {
            try program.folder.write("mine", to: "site/\(name)")
        }
        let before = try Files.bytes("\(site)/index.html")
        server.serve(images: [0])
        try await program.run(server.feedURL)
        expectOneLine(try await write(), exit: 73, [name])
        #expect(try Files.bytes("\(site)/index.html") == before)
        #expect(Files.exists("\(site)/\(name)"))
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test("with a folder in a file's place is refused, and left as it is", arguments: [true, false])
    func folderInPlace(ofPage: Bool) async throws {
        try await write()
        let image = try #require(Files.names(in: "\(site)/images").first)
        let place = ofPage ? "index.html" : "images/\(image)"
        unlink("\(site)/\(place)")
        try program.folder.makeDirectory("site/\(place)")
        try program.folder.write("mine", to: "site/\(place)/mine")
        expectOneLine(try await write(), exit: 73, ["\(place)/: was not written by feedsync"])
        #expect(Files.names(in: "\(site)/\(place)") == ["mine"])
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test("is written anew where some of it was deleted") func incomplete() async throws {
        try await write()
        unlink("\(site)/style.css")
        expectQuiet(try await write())
        #expect(Files.exists("\(site)/style.css"))
    }

    @Test("whose list of files is none is refused", arguments: ["", "feedsync gallery 2\nindex.html\n", "\u{0}\u{FF}"])
    func malformed(list: String) async throws {
        try program.folder.makeDirectory("site")
        try program.folder.write(list, to: "site/.feedsync-gallery")
        expectOneLine(try await write(), exit: 73, [site])
    }

    @Test(
        "whose list names files elsewhere makes none of them go",
        arguments: ["../mine/file", "images/../../mine/file", "images/file"])
    func listOfOthers(line: String) async throws {
        try await write()
        try program.folder.makeDirectory("mine")
        let file = try program.folder.write("mine", to: "mine/file")
        var list = String(decoding: try Files.bytes("\(site)/.feedsync-gallery"), as: UTF8.self) + "\(line)\n"
        if line == "images/file" {
            // By a link in the place of the pictures.
            list += "images\n"
            rename("\(site)/images", program.folder.path("images"))
            symlink(program.folder.path("mine"), "\(site)/images")
        }
        try program.folder.write(list, to: "site/.feedsync-gallery")
        expectQuiet(try await write())
        #expect(try Files.bytes(file) == Array("mine".utf8))
    }

    @Test("can't be a file, below one, or where nobody may write") func impossible() async throws {
        let file = try program.folder.write("mine", to: "file")
        for place in [file, "\(file)/site", "/proc/site", "/", "/proc"] {
            let result = try await write(place)
            #expect(result.status == .exited(73), "\(place): \(result.errorText)")
            #expect(result.errorLines.count == 1)
        }
        #expect(try Files.bytes(file) == Array("mine".utf8))
    }

    @Test("is no longer in the way once the run that was killed over it is gone") func leftover() async throws {
        try await write()
        try program.folder.makeDirectory(".site.feedsync-new")
        try program.folder.makeDirectory(".site.feedsync-new/images")
        try program.folder.write("feedsync gallery 1, unfinished\n", to: ".site.feedsync-new/.feedsync-gallery")
        try program.folder.write("half", to: ".site.feedsync-new/images/0.png")
        expectQuiet(try await write())
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
        // And what a run left that was killed before it had written a thing.
        try program.folder.makeDirectory(".site.feedsync-new")
        expectQuiet(try await write())
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test(
        "is no longer in the way of the next run that it could not be begun in",
        arguments: [
            "write:signal=KILL", "write:error=EIO", "write:error=ENOSPC", "rename,renameat,renameat2:error=EIO",
        ])
    func unmarked(_ fault: String) async throws {
        try await write()
        let result = try await program.shell(
            #"""
            folder="${1%/*}/.site.feedsync-new"
            exec strace -f -qq -o "$2" -P "$folder" -P "$folder/.feedsync-gallery" -P "$folder/.feedsync-gallery.new" \
                -e "inject=$3:when=1" "$feedsync" gallery "$1"
            """#, site, "\(program.folder.path)/cache/trace", fault)
        #expect(result.status != .exited(0), "\(result.errorText)")
        if !fault.contains("KILL") {
            expectOneLine(result, exit: 74, [])
            #expect(Files.names(in: program.folder.path) == ["cache", "site"])
        }
        expectQuiet(try await write())
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test("is no longer in the way with a marker that was cut short", arguments: ["", "feedsync gal"])
    func cutMarker(_ text: String) async throws {
        try await write()
        try program.folder.makeDirectory(".site.feedsync-new")
        try program.folder.write(text, to: ".site.feedsync-new/.feedsync-gallery")
        expectQuiet(try await write())
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
        // Beside anything else it may be anybody's.
        try program.folder.makeDirectory(".site.feedsync-new")
        try program.folder.write(text, to: ".site.feedsync-new/.feedsync-gallery")
        try program.folder.write("mine", to: ".site.feedsync-new/mine")
        #expect(try await write().status == .exited(73))
    }

    @Test("is one run's at a time") func locked() async throws {
        try await write()
        let lock = try HeldLock(ofGallery: site)
        expectOneLine(try await write(), exit: 75, [site, "--lock-wait"])
        withExtendedLifetime(lock) {}
    }

    @Test("is written by one run after the other where they wait", arguments: [false, true])
    func waitedFor(isThere: Bool) async throws {
        if isThere { try await write() }
        let result = try await program.shell(
            #"""
            for run in 1 2 3 4 5 6; do ("$feedsync" gallery --lock-wait 600 "$1" || echo "$?") & done; wait
            """#, site)
        expectQuiet(result)
        #expect(Files.exists("\(site)/index.html"))
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test("is always whole to those who look, while it is replaced again and again") func swapped() async throws {
        try await write()
        let result = try await program.shell(
            #"""
            (for run in 1 2 3 4 5 6; do "$feedsync" gallery "$1" || echo failed; done; touch "$1.done") &
            until [ -e "$1.done" ]; do [ -e "$1/index.html" ] || echo gone; done
            wait
            """#, site)
        expectQuiet(result)
    }

    @Test("waits for nobody who writes the cache, but not beside one that deletes images") func cacheLocks()
        async throws
    {
        let lock = try HeldLock(of: program)
        expectQuiet(try await write())
        withExtendedLifetime(lock) {}
        let images = open("\(program.cache)/images", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer {
            flock(images, LOCK_UN)
            close(images)
        }
        #expect(flock(images, LOCK_EX | LOCK_NB) == 0)
        expectOneLine(try await write(), exit: 75, [program.cache, "--lock-wait"])
        #expect(flock(images, LOCK_SH | LOCK_NB) == 0)
        expectQuiet(try await write())
    }
}

@Suite("Sync with a gallery, from outside", .timeLimit(.minutes(10)))
struct SyncGalleryTests {
    private let program: Program
    private let server: FeedServer
    private let site: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        site = program.folder.path("site")
    }

    @Test("renews it at the end, of all that is in the cache") func renewed() async throws {
        let other = try FeedServer(images: 1)
        try await program.run(other.feedURL)
        expectQuiet(try await program.run("--gallery", site, server.feedURL))
        #expect(Files.names(in: site).filter { $0.hasSuffix(".html") }.count == 4)
        // The pictures of this very run are in it.
        let digest = try await program.digest(of: server.imageURL(1))
        #expect(Files.exists("\(site)/images/\(digest).png"))
    }

    @Test("also when images, or the feed, could not be had") func failing() async throws {
        server.serve(Reply(404), at: 1)
        #expect(try await program.run("--gallery", site, server.feedURL).status == .exited(23))
        #expect(Files.names(in: "\(site)/images").count == 1)
        server.serve(feed: "<html>")
        unlink("\(site)/style.css")
        #expect(try await program.run("--gallery", site, server.feedURL).status == .exited(65))
        #expect(Files.exists("\(site)/style.css"))
    }

    @Test("that can't be written is told, and is the run's exit code where nothing worse was") func refused()
        async throws
    {
        let file = try program.folder.write("mine", to: "file")
        server.serve(Reply(404), at: 1)
        let result = try await program.run("--gallery", file, "--json", server.feedURL)
        #expect(result.status == .exited(73))
        #expect(result.errorText.contains(file))
        #expect(try result.json["images"]?["downloaded"]?.int == 1)
        server.serve(feed: "<html>")
        #expect(try await program.run("--gallery", file, server.feedURL).status == .exited(65))
    }

    @Test("is only spoken of in a dry run") func dryRun() async throws {
        let result = try await program.run("-n", "--gallery", site, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText.contains("would write the gallery \(site)"))
        #expect(!Files.exists(site))
    }
}
