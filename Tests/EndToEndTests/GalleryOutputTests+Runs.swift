import Glibc
import TestSupport
import Testing

/// Several runs at one gallery, killed runs, and directories that can't be a gallery.
extension GalleryOutputTests {
    @Test("New files come first, then changed ones, then the index, and deletions come last")
    func order() async throws {
        try await write()
        let old = try await program.digest(of: server.imageURL(0))
        server.serve(images: [1, 2])
        try await program.run(server.feedURL)
        let new = try await program.digest(of: server.imageURL(2))
        let (result, trace) = try await program.trace("gallery", site)
        expectQuiet(result)
        func naming(_ path: String) throws -> SystemCallTrace.Call {
            try #require(trace.successes(["rename", "renameat", "renameat2"], "\(site)/\(path)").first, "\(path)")
        }
        let steps = [try naming("images/\(new).png"), try naming("feed.json"), try naming("index.html")]
        for (step, next) in zip(steps, steps.dropFirst()) { #expect(step.isDone(before: next)) }
        let deletion = try #require(trace.successes(["unlinkat"], "\(site)/images/\(old).png").first)
        #expect(steps[2].isDone(before: deletion))
    }

    @Test(
        "A run that was killed at any moment is completed by the next one",
        arguments: ["renameat2", "renameat", "unlinkat", "linkat", "mkdirat", "fsync", "syncfs", "write"])
    func killed(call: String) async throws {
        let outputs = "\(program.cache)/outputs"
        try await write()
        _ = try await program.shell(#"for path; do cp -a "$path" "$path.before"; done"#, site, outputs)
        server.serve(images: [1, 2, 3])
        try await program.run(server.feedURL)
        let whole = program.directory.path("whole")
        expectQuiet(try await write(to: whole))
        let expected = try await contents(whole)
        for number in 1...8 {
            // Half of the runs start a gallery, and half bring one up to date.
            _ = try await program.shell(
                #"for path; do rm -rf "$path"; done"#
                    + (number % 2 == 0 ? "" : #"; for path; do cp -a "$path.before" "$path"; done"#), site, outputs)
            let killed = try await program.shell(
                #"""
                exec strace -f -qq -o /dev/null -e trace="$2" -e inject="$2":signal=KILL:when="$3" \
                    "$feedsync" gallery "$1"
                """#, site, call, String(number))
            if killed.status == .exited(0) { continue }
            expectQuiet(try await write())
            #expect(try await contents() == expected, "\(call) \(number)")
            let empty = try await program.shell(#"find "$1" -type f -empty"#, site)
            #expect(empty.outputText == "")
        }
    }

    @Test("A file that a power cut left empty is made again")
    func powerCut() async throws {
        let killed = try await program.shell(
            #"exec strace -f -qq -o /dev/null -e inject=syncfs:signal=KILL "$feedsync" gallery "$1""#, site)
        #expect(killed.status != .exited(0))
        for name in ["index.html", "style.css"] { _ = try await program.shell(#": > "$1""#, "\(site)/\(name)") }
        expectQuiet(try await write())
        #expect(Files.size("\(site)/index.html") > 0)
    }

    @Test("A list is on disk before the first file is made, and the files are before the list says so")
    func durability() async throws {
        let (result, trace) = try await program.trace("gallery", site)
        expectQuiet(result)
        let lists = trace.calls.filter {
            $0.name == "renameat" && $0.result == 0 && $0.paths.contains { $0.hasSuffix(".list") }
        }
        try #require(lists.count == 2)
        let syncs = trace.calls.filter { $0.name == "fsync" && $0.paths.contains { $0.hasSuffix(".list.new") } }
        try #require(syncs.count == 2)
        for (sync, naming) in zip(syncs, lists) { #expect(sync.isDone(before: naming)) }
        let files = trace.successes(["renameat2"], "\(site)/index.html")
        #expect(try lists[0].isDone(before: #require(files.first)))
        let flush = try #require(trace.calls.first { $0.name == "syncfs" })
        #expect(try #require(files.first).isDone(before: flush) && flush.isDone(before: syncs[1]))
    }

    @Test("One run at a time writes to a directory, and another waits as long as --lock-wait says")
    func locked() async throws {
        try await write()
        let lock = try await HeldLock(ofOutput: site, of: program)
        expectOneLine(try await write(), exit: 75, [site, "--lock-wait"])
        expectQuiet(try await write(to: program.directory.path("other")))
        withExtendedLifetime(lock) {}
    }

    @Test("Runs that wait write one after the other", arguments: [false, true])
    func waiting(isThere: Bool) async throws {
        if isThere { try await write() }
        let result = try await program.shell(
            #"""
            for run in 1 2 3 4 5 6; do ("$feedsync" gallery --lock-wait 600 "$1" || echo "$?") & done; wait
            """#, site)
        expectQuiet(result)
        #expect(Files.exists("\(site)/index.html"))
    }

    @Test("Locks that another user holds in the directory block no run")
    func foreignLocks() async throws {
        try await write()
        server.serve(images: [1])
        try await program.run(server.feedURL)
        let result = try await program.shell(
            #"exec flock "$1" flock "$1/index.html" flock "$1/images" "$feedsync" gallery "$1""#, site)
        expectQuiet(result)
        #expect(Files.names(in: "\(site)/images").count == 1)
    }

    @Test("A visitor always finds an index whose images are there, while the gallery changes again and again")
    func visited() async throws {
        try await write()
        let index = "\(site)/index.html"
        let other = program.directory.path("other")
        let result = try await program.shell(
            #"""
            (for run in 1 2 3; do
                "$feedsync" gallery --thumbnails never "$1" || echo failed
                "$feedsync" gallery "$1" || echo failed
            done; touch "$3") &
            until [ -e "$3" ]; do
                for image in $(grep -o 'images/[0-9a-f]*.png' "$2" | sort -u); do
                    [ -e "$1/$image" ] || echo "no $image"
                done
                [ -e "$2" ] || echo gone
            done
            wait
            """#, site, index, other)
        expectQuiet(result)
    }

    @Test("A gallery runs beside a run that writes the cache, but not beside one that deletes images")
    func cacheLocks() async throws {
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

    @Test("With a cache on a read-only medium a new gallery is written, and the next run takes over what is unchanged")
    func readOnlyCache() async throws {
        let result = try await program.shellWithOwnMounts(
            #"""
            mount --bind "$FEEDSYNC_CACHE" "$FEEDSYNC_CACHE" && mount -o remount,bind,ro "$FEEDSYNC_CACHE" || exit 99
            "$feedsync" gallery "$1" && "$feedsync" gallery "$1"
            """#, site)
        expectQuiet(result)
        #expect(!Files.exists("\(program.cache)/outputs"))
        expectQuiet(try await write())
    }

    @Test(
        "The list and the lock in another user's cache are only used if they are valid regular files",
        arguments: ["list FIFO", "list link", "lock FIFO", "lock link", "list.new FIFO", "list garbage", "list escape"])
    func hostileCache(_ kind: String) async throws {
        try await write()
        let words = kind.split(separator: " ").map(String.init)
        let mine = try program.directory.write("mine", to: "mine")
        let result = try await program.shell(
            #"""
            cd "$1/outputs"; name=$(ls *.list); name=${name%.list}.$2
            case $3 in
                FIFO) rm -f "$name"; mkfifo "$name";;
                link) rm "$name"; ln -s "$4" "$name";;
                garbage) head -c 100000 /dev/urandom > "$name";;
                escape) echo "file $(printf %064d 0) 4 0 0 ../mine" >> "$name";;
            esac
            rm "$5/style.css"; exec "$feedsync" gallery "$5"
            """#, program.cache, words[0], words[1], mine, site)
        #expect([.exited(0), .exited(73), .exited(74)].contains(result.status), "\(result.errorText)")
        #expect((result.status == .exited(0)) == (kind == "list.new FIFO"), "\(result.errorText)")
        #expect(try Files.bytes(mine) == Array("mine".utf8))
    }

    @Test(
        "A gallery can be neither the cache nor contain it, whatever its path",
        arguments: [
            "cache", "cache/", "cache/incoming", "cache/images", "cache/images/sha256", "cache/new", "cache/a/b",
            "link", "link/images/new", "elsewhere/../cache/incoming",
        ])
    func inTheCache(path: String) async throws {
        symlink(program.cache, program.directory.path("link"))
        try program.directory.makeDirectory("elsewhere")
        let images = Files.names(in: program.imageDirectory)
        expectOneLine(try await write(to: program.directory.path(path)), exit: 73, ["belongs to the cache"])
        #expect(Files.names(in: program.cache) == ["feedsync.sqlite", "images", "incoming", "lock"])
        #expect(Files.names(in: program.imageDirectory) == images)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }

    @Test(
        "A gallery can't contain the cache, whether that exists or not",
        arguments: ["site/cache", "site/images", "site"])
    func aroundTheCache(cache: String) async throws {
        let result = try await program.run(
            "gallery", site, environment: ["FEEDSYNC_CACHE": "", "XDG_CACHE_HOME": program.directory.path(cache)])
        #expect(result.status == .exited(73), "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(!Files.exists(site))
    }

    @Test("A gallery can lie beside the cache under a name that begins like it")
    func besideTheCache() async throws {
        expectQuiet(try await write(to: "\(program.cache)-gallery"))
    }

    @Test(
        "A gallery can be a mount point",
        arguments: ["mount -t tmpfs none site", "mkdir other && mount --bind other site"])
    func mountPoint(mount: String) async throws {
        let result = try await program.shellWithOwnMounts(
            #"""
            mkdir -p "$1/all/site" && cd "$1/all" && \#(mount) && cd "$1/all" || exit 99
            "$feedsync" gallery site && "$feedsync" gallery site; ls site/index.html
            """#, program.directory.path)
        #expect(result.outputLines == ["site/index.html"], "\(result.errorText)")
        #expect(result.errorText == "")
    }

    @Test("A gallery can't be a dangling link, nor be reached through one", arguments: ["link", "link/", "link/site"])
    func dangling(path: String) async throws {
        symlink("nowhere", program.directory.path("link"))
        expectOneLine(try await write(to: program.directory.path(path)), exit: 73, [program.directory.path("link")])
        #expect(Files.names(in: program.directory.path) == ["cache", "link"])
    }

    @Test("A gallery can't be a file, lie below one, or be in a directory without write permission")
    func impossible() async throws {
        let file = try program.directory.write("mine", to: "file")
        for path in [file, "\(file)/site", "/proc/site", "/", "/proc"] {
            let result = try await write(to: path)
            #expect(result.status == .exited(73), "\(path): \(result.errorText)")
            #expect(result.errorLines.count == 1)
        }
        #expect(try Files.bytes(file) == Array("mine".utf8))
    }

    @Test("A gallery's directory without write permission is refused and left alone")
    func readOnly() async throws {
        try await write()
        server.serve(images: [1])
        try await program.run(server.feedURL)
        let before = try await contents()
        chmod(site, 0o555)
        expectOneLine(try await program.runBound("gallery", site), exit: 73, ["\(site): can't be written to"])
        #expect(try await contents() == before)
    }
}
