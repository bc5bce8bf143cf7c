import Glibc
import TestSupport
import Testing

/// Where the old gallery and the new one can't be exchanged in one step, or the old one can't simply be deleted.
extension GalleryFolderTests {
    private static let refusals = ["EINVAL", "ENOSYS"]

    /// Writes the gallery where the file system can't exchange folders, with a fault at what is done to its place and to
    /// those beside it.
    @discardableResult
    private func writeWithoutExchange(
        _ refusal: String = "EINVAL", fault: String = ""
    ) async throws -> ProcessResult {
        try await program.shell(
            #"""
            new=${1%/*}/.site.feedsync-new
            exec strace -f -qq -o /dev/null -P "$1" -P "$new" -P "$new-old" -e "inject=renameat2:error=$2" \
                ${3:+-e "inject=$3"} "$feedsync" gallery "$1"
            """#, site, refusal, fault)
    }

    @Test("is put in the old one's place in steps where it can't be in one", arguments: Self.refusals)
    func withoutExchange(_ refusal: String) async throws {
        try await write()
        server.serve(images: [0])
        try await program.run(server.feedURL)
        for _ in 1...2 {
            expectQuiet(try await writeWithoutExchange(refusal))
            #expect(Files.names(in: "\(site)/images").count == 1)
            #expect(Files.names(in: program.folder.path) == ["cache", "site"])
        }
    }

    @Test(
        "is no longer in the way of the next runs once one was killed, or stopped, between those steps",
        arguments: [
            "rename:signal=KILL:when=2", "rename:error=EIO:when=2+", "unlinkat:signal=KILL:when=1",
            "unlinkat:signal=KILL:when=2", "unlinkat:error=EIO:when=2+",
        ])
    func leftAside(_ fault: String) async throws {
        try await write()
        let result = try await writeWithoutExchange(fault: fault)
        if fault.hasPrefix("unlinkat:error") {
            expectOneLine(result, exit: 74, ["can't be deleted: Input/output error"])
        } else {
            #expect(result.status != .exited(0), "\(result.errorText)")
        }
        #expect(Files.exists(program.folder.path(".site.feedsync-new-old")))
        for _ in 1...2 {
            expectQuiet(try await writeWithoutExchange())
            #expect(Files.exists("\(site)/index.html"))
            #expect(Files.names(in: program.folder.path) == ["cache", "site"])
        }
    }

    @Test("takes its place also where the old one can't be deleted, and is renewed when that can be")
    func undeletable() async throws {
        try await write()
        let new = program.folder.path(".site.feedsync-new")
        for _ in 1...2 {
            unlink("\(site)/style.css")
            let result = try await program.shell(
                #"""
                exec strace -f -qq -o /dev/null -P "$2" -e inject=unlinkat:error=EIO "$feedsync" gallery "$1"
                """#, site, new)
            expectOneLine(result, exit: 74, ["\(new)/", "can't be deleted: Input/output error"])
        }
        expectQuiet(try await write())
        #expect(Files.exists("\(site)/style.css"))
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test("has the old one back where the new one can't take its place, if need be with the next run")
    func putBack() async throws {
        try await write()
        let before = try Files.bytes("\(site)/index.html")
        expectOneLine(try await writeWithoutExchange(fault: "rename:error=EIO:when=2"), exit: 74, [site])
        #expect(try Files.bytes("\(site)/index.html") == before)
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])

        try await writeWithoutExchange(fault: "rename:signal=KILL:when=2")
        #expect(!Files.exists(site))
        // Which doesn't get far itself.
        try program.folder.write("mine", to: ".site.feedsync-new/mine")
        #expect(try await write().status == .exited(73))
        #expect(try Files.bytes("\(site)/index.html") == before)
    }

    @Test(
        "isn't written where somebody else has something under the name that the old one may be given for a moment",
        arguments: ["file", "folder", "link"], [true, false])
    func othersAside(kind: String, isThere: Bool) async throws {
        if isThere { try await write() }
        let aside = ".site.feedsync-new-old"
        switch kind {
        case "file": try program.folder.write("mine", to: aside)
        case "link":
            try program.folder.makeDirectory("empty")
            symlink("empty", program.folder.path(aside))
        default:
            try program.folder.makeDirectory(aside)
            try program.folder.write("mine", to: "\(aside)/mine")
        }
        let before = Files.names(in: program.folder.path)
        expectOneLine(try await write(), exit: 73, [aside])
        #expect(Files.names(in: program.folder.path) == before)
        if kind == "folder" { #expect(try program.folder.read("\(aside)/mine") == Array("mine".utf8)) }
    }

    @Test("is refused and left alone where it may not be written to") func readOnly() async throws {
        try await write()
        chmod(site, 0o555)
        expectOneLine(try await program.runBound("gallery", site), exit: 73, ["\(site): can't be replaced"])
        #expect(try Files.mode(site) == 0o555)
        #expect(Files.names(in: program.folder.path) == ["cache", "site"])
    }

    @Test(
        "whose it was it stays where root replaces it; where it can't be given away, no other group gets its rights",
        .enabled(if: geteuid() == 0),
        arguments: [
            ("", mode_t(0o750), "4711 4712 750"), ("setpriv --bounding-set=-chown --inh-caps=-chown", 0o750, "0 0 700"),
            ("setpriv --bounding-set=-chown --inh-caps=-chown", 0o775, "0 0 755"),
            ("setpriv --bounding-set=-fowner --inh-caps=-fowner", 0o750, "4711 4712 750"),
        ])
    func owners(wrapper: String, mode: mode_t, rights: String) async throws {
        try await write()
        #expect(chown(site, 4711, 4712) == 0 && chmod(site, mode) == 0)
        expectQuiet(try await program.shell(#"exec \#(wrapper) "$feedsync" gallery "$1""#, site))
        #expect(try await Subprocess.run("stat", ["-c", "%u %g %a", site]).outputText == "\(rights)\n")
    }

    @Test("gives all that it holds to the group that its folder was told to hand on", .enabled(if: geteuid() == 0))
    func group() async throws {
        try program.folder.makeDirectory("site")
        #expect(chown(site, 0, 4712) == 0 && chmod(site, 0o2750) == 0)
        for _ in 1...2 {
            expectQuiet(try await program.shell(#"umask 027; exec "$feedsync" gallery "$1""#, site))
            let own = #"cd "$1" && find . ! -path "./images/*" -printf "%g %m %p\n" | sort -k 3"#
            let files = Files.names(in: site)
            #expect(files.contains("images") && files.contains("atom.xml"))
            let expected = ["4712 2750 ."] + files.map { "4712 \($0 == "images" ? "2750" : "640") ./\($0)" }
            let found = try await program.shell("export LC_ALL=C; \(own)", site).outputText
            #expect(found.split(separator: "\n").map(String.init) == expected)
        }
    }
}
