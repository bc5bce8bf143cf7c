import Glibc
import JSONText
import TestSupport
import Testing

/// Galleries with images that can't be linked, read or written.
extension GalleryTests {
    /// Runs a script with a file system of one megabyte at `$disk`, in a mount namespace that ends with the script.
    private func onDisk(_ script: String, _ argument: String = "") async throws -> ProcessResult {
        try program.directory.makeDirectory("disk")
        let setUp = #"disk=$1; mount -t tmpfs -o size=1m none "$disk" || exit 99; "# + script
        return try await program.shellWithOwnMounts(setUp, program.directory.path("disk"), argument)
    }

    @Test("A gallery copies files if links are impossible, with permissions according to the umask")
    func copied() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        let result = try await onDisk(
            #"""
            umask 027; "$feedsync" gallery "$disk/site" || exit
            cd "$disk/site"; stat -c %a . images/* index.html; sha256sum images/* | cut -c 1-64
            """#)
        #expect(result.errorText == "")
        #expect(
            result.outputLines
                == ["750", "440", "640", try await program.digest(of: server.imageURL(0))].map { $0[...] })
    }

    @Test("An unreadable image is reported with the reason by gallery and sync, and all of them with -v")
    func unreadable() async throws {
        let server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
        let digests = [
            try await program.digest(of: server.imageURL(0)), try await program.digest(of: server.imageURL(1)),
        ]
        for digest in digests { chmod("\(program.imageDirectory)/\(digest)", 0) }
        let first = "\(digests[0]): can't be opened: Permission denied"
        let quiet = try await program.runBound("gallery", site, "-q")
        #expect(quiet.status == .exited(0))
        #expect(quiet.errorLines.count == 2, "\(quiet.errorText)")
        #expect(quiet.errorText.contains(first))
        #expect(quiet.errorText.contains("1 more image"))
        #expect(try page().contains("the file in the cache can&#39;t be read"))
        let verbose = try await program.runBound("--gallery", site, "-v", server.feedURL)
        #expect(verbose.errorText.contains(first))
        #expect(verbose.errorText.contains("\(digests[1]): can't be opened: Permission denied"))
    }

    @Test(
        "A gallery stays as it was if every image is unreadable",
        arguments: [
            "openat:error=EMFILE", "openat:error=ENFILE", "openat:error=ENOMEM", "openat:error=EIO",
            "pread64:error=EIO",
        ])
    func nothingReadable(_ failure: String) async throws {
        let server = try FeedServer(images: 1)
        server.serve(.image(Samples.png(String(repeating: "x", count: 99))), at: 0)
        try await program.run(server.feedURL)
        try await program.run("gallery", site)
        let before = Files.names(in: "\(site)/images")
        let image = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(0)))"
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -P "$1" -P "${1%/*}" -e "inject=$2" "$feedsync" gallery "$3"
            """#, image, failure, site)
        expectOneLine(result, exit: 74, [image])
        #expect(before.count == 1 && Files.names(in: "\(site)/images") == before)
    }

    /// Serves an image so large that it is copied in several pieces, and a small one.
    private func saveTwo() async throws -> (large: String, small: String) {
        let server = try FeedServer(images: 2)
        server.serve(.image(Samples.png(String(repeating: "x", count: 600 << 10))), at: 0)
        try await program.run(server.feedURL)
        return (try await program.digest(of: server.imageURL(0)), try await program.digest(of: server.imageURL(1)))
    }

    @Test("A gallery leaves out an image of which the disk has lost a part", arguments: ["openat", "pread64"])
    func badSector(_ call: String) async throws {
        let (large, small) = try await saveTwo()
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -P "$1" -P "${1##*/}" -e "inject=$3:error=EIO" "$feedsync" gallery --json "$2"
            """#, "\(program.imageDirectory)/\(large)", site, call)
        #expect(
            try result.json == ["dir": "\(site)", "feeds": 1, "pages": 2, "images": 1, "missing": 1, "thumbnails": 0])
        #expect(result.errorLines.count == 1)
        #expect(result.errorText.contains("\(large): can't be"), "\(result.errorText)")
        #expect(result.errorText.contains("Input/output error; run `feedsync validate --deep`"))
        #expect(Files.names(in: "\(site)/images") == ["\(small).png"])
        #expect(try page().contains("the file in the cache can&#39;t be read"))
    }

    @Test("A gallery leaves out an image whose beginning or end can't be read during the copy")
    func badSectorInCopy() async throws {
        let (large, small) = try await saveTwo()
        let result = try await onDisk(
            #"""
            strace -f -qq -o /dev/null -P "$FEEDSYNC_CACHE/images/sha256/$2" -e inject=pread64:error=EIO:when=3+ \
                "$feedsync" gallery "$disk/site" || exit
            ls "$disk/site/images"
            """#, large)
        #expect(result.status == .exited(0))
        #expect(result.outputLines == ["\(small).png"], "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(result.errorText.contains("\(large): can't be read: Input/output error"))
    }

    @Test("A gallery that doesn't fit on the disk ends with 74 and leaves the old one")
    func full() async throws {
        let server = try FeedServer(images: 2)
        try await program.run(server.feedURL)
        server.serve(.image(Samples.png(String(repeating: "x", count: 2 << 20))), at: 1)
        let result = try await onDisk(
            #"""
            "$feedsync" gallery "$disk/site" || exit
            cp "$disk/site/index.html" "$HOME/before"
            "$feedsync" --revalidate "$(sqlite3 "$FEEDSYNC_CACHE/feedsync.sqlite" 'SELECT url FROM feeds')" || exit
            "$feedsync" gallery "$disk/site"; echo $?
            cmp "$HOME/before" "$disk/site/index.html"; ls -A "$disk"
            """#)
        #expect(result.outputLines == ["74", "site"], "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(result.errorText.contains("No space left on device"))
    }
}
