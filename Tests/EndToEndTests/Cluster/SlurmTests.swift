import Glibc
import TestSupport
import Testing

@Suite("On a Slurm cluster", .timeLimit(.minutes(10)))
struct SlurmTests {
    @Test("A Slurm array mirrors all feeds and merges one cache, even if a task is killed and requeued")
    func array() async throws {
        let whole = try Program()
        let feeds = try ClusterFeeds(hosts: 12, onEach: 5)
        let gate = Gate()
        // One image of this part arrives only after its task was requeued.
        let host = try await self.host(ofPart: 1, of: 4)
        let image = ClusterFeeds.image(host, 4)
        feeds.server.route(image) { _ in
            gate.pass()
            return .image(Samples.png(image))
        }
        let list = try whole.directory.write(feeds.list, to: "feeds.opml")
        let slurm = try await Slurm()
        let shared = slurm.directory.path("shared")
        for directory in ["bin", "local", "shared"] { try slurm.directory.makeDirectory(directory) }
        symlink(try Program.builtExecutable(), slurm.directory.path("bin/feedsync"))
        let submitted = try await slurm.run(
            "sbatch", "--parsable", "--array=0-3", "--export=ALL,FEEDSYNC_ALLOW_PRIVATE=true",
            "--output=\(shared)/part-%a.out",
            "\(Fixtures.directory)/cluster/feedsync.sbatch", list, shared)
        let job = submitted.outputText.split(separator: "\n").first.map(String.init) ?? ""
        #expect(submitted.status == .exited(0), "\(submitted.errorText)")
        await gate.waitForArrivals()
        let requeued = try await slurm.run("scontrol", "requeue", "\(job)_1")
        #expect(requeued.status == .exited(0), "\(requeued.errorText)")
        gate.open()
        while try await slurm.run("squeue", "-h").outputText != "" {
            try await Task.sleep(for: .milliseconds(200))
        }

        expectQuiet(try await whole.run("--allow-private", "--opml", list))
        let merged = try Program(cache: "\(shared)/cache")
        let said = try await whole.shell(#"cat "$1"/*.out"#, shared).outputText
        #expect(Files.names(in: merged.imageDirectory) == Files.names(in: whole.imageDirectory), "\(said)")
        #expect(try await merged.status()["feeds"]?.array?.count == 60)
        #expect(said.contains("REQUEUE"))
    }

    @Test(
        "A Slurm task refuses what another user has put in place of its cache, and writes nothing there",
        .enabled(if: geteuid() == 0),
        arguments: ["ln -s \"$1/outside\"", "ln -s nowhere", "touch", "mkfifo", "mkdir -m 777 -p"])
    func occupiedCache(command: String) async throws {
        let program = try Program()
        for directory in ["bin", "local", "shared", "outside"] { try program.directory.makeDirectory(directory) }
        try program.directory.write("<opml><body/></opml>", to: "feeds.opml")
        let result = try await program.shell(
            #"""
            place=$(realpath "$1/shared" | sha256sum | cut -c 1-8)
            cache=$1/local/feedsync-$(id -u)-$place-0-of-2
            \#(command) "$cache" && chown -h 4711 "$cache"
            ln -s "$feedsync" "$1/bin/feedsync"
            # A task that was requeued submits no merge.
            export PATH="$1/bin:$PATH" NODE_LOCAL="$1/local" PARTS=2 SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0
            export SLURM_RESTART_COUNT=1 SLURM_ARRAY_JOB_ID=1 SLURM_JOB_PARTITION=main
            exec bash "$2" "$1/feeds.opml" "$1/shared"
            """#, program.directory.path, "\(Fixtures.directory)/cluster/feedsync.sbatch")
        expectOneLine(result, exit: 73, ["is not a directory of yours"])
        for directory in ["outside", "shared"] { #expect(Files.names(in: program.directory.path(directory)) == []) }
    }

    @Test("A Slurm task that runs again leaves thin archives, and a full one after ten of them")
    func thinArchives() async throws {
        let program = try Program()
        let feeds = try ClusterFeeds(hosts: 1, onEach: 2)
        for directory in ["bin", "local", "shared"] { try program.directory.makeDirectory(directory) }
        try program.directory.write(feeds.list, to: "feeds.opml")
        let shared = program.directory.path("shared")
        for time in 0...11 {
            // A task on another node resumes with the archives of its part.
            let result = try await program.shell(
                #"""
                ln -sf "$feedsync" "$1/bin/feedsync"; unset FEEDSYNC_CACHE; [ "$3" != 5 ] || rm -rf "$1/local"/*
                export PATH="$1/bin:$PATH" NODE_LOCAL="$1/local" PARTS=1 SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0
                export SLURM_RESTART_COUNT=1 SLURM_ARRAY_JOB_ID=1 SLURM_JOB_PARTITION=main FEEDSYNC_ALLOW_PRIVATE=true
                exec bash "$2" "$1/feeds.opml" "$1/shared"
                """#, program.directory.path, "\(Fixtures.directory)/cluster/feedsync.sbatch", "\(time)")
            expectQuiet(result)
            let thin = time <= 10 ? (0..<time).map { "part-0-\($0 + 2).tar" } : []
            #expect(Files.names(in: shared).sorted() == (["part-0.tar"] + thin).sorted(), "\(time)")
        }
        #expect(feeds.server.requests.filter { $0.path.hasSuffix(".png") }.count == 2)
    }

    /// Returns a host, `127.0.0.1` or a following one, whose feeds belong to the part.
    private func host(ofPart part: Int, of count: Int) async throws -> Int {
        for host in 1...12 {
            let found = try await Subprocess.run(
                "sh",
                [
                    "-c", #"echo $((0x$(printf %s "$1" | sha256sum | cut -c1-8) % $2))"#, "sh", "127.0.0.\(host)",
                    "\(count)",
                ])
            if found.outputText == "\(part)\n" { return host }
        }
        throw SystemFailure("no host falls into part \(part)")
    }
}
