import Glibc
import TestSupport
import Testing

/// Where a gallery has no place. That is said before anything is written.
extension GalleryFolderTests {
    @Test(
        "can't be the cache, nor lie in it, however that is named",
        arguments: [
            "cache", "cache/", "cache/incoming", "cache/images", "cache/images/sha256", "cache/new", "cache/a/b",
            "link", "link/images/new", "elsewhere/../cache/incoming",
        ])
    func inTheCache(place: String) async throws {
        symlink(program.cache, program.folder.path("link"))
        try program.folder.makeDirectory("elsewhere")
        let images = Files.names(in: program.imageFolder)
        expectOneLine(try await write(program.folder.path(place)), exit: 73, ["belongs to the cache"])
        #expect(Files.names(in: program.cache) == ["feedsync.sqlite", "images", "incoming", "lock"])
        #expect(Files.names(in: program.imageFolder) == images)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }

    @Test("can't lie in a cache that is only to come", arguments: ["later", "later/images", "later/a/b"])
    func inLaterCache(place: String) async throws {
        let cache = program.folder.path("later")
        let result = try await program.run("gallery", "--cache", "\(cache)/", program.folder.path(place))
        expectOneLine(result, exit: 73, ["belongs to the cache"])
        #expect(!Files.exists(cache))
    }

    @Test("can't hold the cache, there or to come", arguments: ["site/cache", "site/images", "site"])
    func aroundTheCache(cache: String) async throws {
        let result = try await program.run("gallery", "--cache", program.folder.path(cache), site)
        #expect(result.status == .exited(73), "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(!Files.exists(site))
    }

    @Test("may lie beside the cache under a name that begins like it") func besideTheCache() async throws {
        expectQuiet(try await write("\(program.cache)-gallery"))
    }

    @Test(
        "can't be a folder that can't be moved: a mount point, or one of a container's image",
        arguments: [
            #"mount -t tmpfs none site"#, #"mkdir other && mount --bind other site"#,
            """
            mkdir ../disk && mount -t tmpfs none ../disk && mkdir -p ../disk/lower/site ../disk/upper ../disk/work &&
            mount -t overlay overlay -o lowerdir=../disk/lower,upperdir=../disk/upper,workdir=../disk/work .
            """,
        ])
    func immovable(mount: String) async throws {
        let result = try await program.shellWithOwnMounts(
            #"""
            mkdir -p "$1/all/site" && cd "$1/all" && \#(mount) && cd "$1/all" || exit 99
            "$feedsync" gallery site; echo $?; find site -mindepth 1; ls -A | grep feedsync
            "$feedsync" gallery site/below; echo $?; ls site
            """#, program.folder.path)
        #expect(result.outputLines == ["73", "0", "below"], "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(result.errorText.contains("/site: is a mount point, or part of a container's image"))
    }

    @Test("can't be, nor be reached by, a link to nothing", arguments: ["link", "link/", "link/site"])
    func dangling(place: String) async throws {
        symlink("nowhere", program.folder.path("link"))
        expectOneLine(
            try await write(program.folder.path(place)), exit: 73, [program.folder.path("link")])
        #expect(Files.names(in: program.folder.path) == ["cache", "link"])
    }

    @Test(
        "isn't made where somebody else has something beside it, under the name that it is made under",
        arguments: ["file", "folder", "link", "link to nothing"])
    func othersBesideIt(kind: String) async throws {
        let staging = ".site.feedsync-new"
        try program.folder.makeDirectory("mine")
        try program.folder.write("mine", to: "mine/file")
        switch kind {
        case "file": try program.folder.write("mine", to: staging)
        case "link": symlink("mine", program.folder.path(staging))
        case "link to nothing": symlink("nowhere", program.folder.path(staging))
        default:
            rename(program.folder.path("mine"), program.folder.path(staging))
            try program.folder.makeDirectory("\(staging)/images")
            try program.folder.write("mine", to: "\(staging)/images/0.png")
        }
        let before = try await listing()

        let result = try await write()

        expectOneLine(result, exit: 73, [staging])
        #expect(try await listing() == before)
    }

    @Test(
        "isn't made where somebody keeps files in what a run left", arguments: ["", "-old"])
    func othersInLeftover(ending: String) async throws {
        if !ending.isEmpty { try await write() }
        let hidden = ".site.feedsync-new\(ending)"
        try program.folder.makeDirectory(hidden)
        try program.folder.write("feedsync gallery 1\n", to: "\(hidden)/.feedsync-gallery")
        try program.folder.write("mine", to: "\(hidden)/mine")
        for _ in 1...2 {
            expectOneLine(try await write(), exit: 73, ["\(hidden)/mine: was not written by feedsync"])
            #expect(try program.folder.read("\(hidden)/mine") == Array("mine".utf8))
        }
    }

    /// All that is beside the cache: what kind it is, how large, when it was last changed, and where it points to.
    private func listing() async throws -> String {
        let result = try await Subprocess.run(
            "find",
            [program.folder.path, "-mindepth", "1", "-not", "-path", "*/cache*", "-printf", "%p %y %s %T@ %l\n"])
        return result.outputText
    }
}
