import Glibc
import TestSupport
import Testing

@Suite("On a Slurm cluster", .timeLimit(.minutes(10)))
struct SlurmTests {
    @Test("an array of tasks has all feeds, also when one is killed and requeued, and one cache is merged of them")
    func array() async throws {
        let whole = try Program()
        let feeds = try ClusterFeeds(hosts: 12, onEach: 5)
        let gate = Gate()
        // Of this part one image doesn't come until its task was requeued.
        let host = try await self.host(ofPart: 1, of: 4)
        let image = ClusterFeeds.image(host, 4)
        feeds.server.route(image) { _ in
            gate.pass()
            return .image(Samples.png(image))
        }
        let list = try whole.folder.write(feeds.list, to: "feeds.opml")
        let slurm = try await Slurm()
        let shared = slurm.folder.path("shared")
        for folder in ["bin", "local", "shared"] { try slurm.folder.makeDirectory(folder) }
        symlink(try Program.builtExecutable(), slurm.folder.path("bin/feedsync"))
        let submitted = try await slurm.run(
            "sbatch", "--parsable", "--array=0-3", "--output=\(shared)/part-%a.out",
            "\(Fixtures.folder)/cluster/feedsync.sbatch", list, shared)
        let job = submitted.outputText.split(separator: "\n").first.map(String.init) ?? ""
        #expect(submitted.status == .exited(0), "\(submitted.errorText)")
        await gate.waitForArrivals()
        let requeued = try await slurm.run("scontrol", "requeue", "\(job)_1")
        #expect(requeued.status == .exited(0), "\(requeued.errorText)")
        gate.open()
        while try await slurm.run("squeue", "-h").outputText != "" {
            try await Task.sleep(for: .milliseconds(200))
        }

        expectQuiet(try await whole.run("--opml", list))
        let merged = try Program(cache: "\(shared)/cache")
        let said = try await whole.shell(#"cat "$1"/*.out"#, shared).outputText
        #expect(Files.names(in: merged.imageFolder) == Files.names(in: whole.imageFolder), "\(said)")
        #expect(try await merged.status()["feeds"]?.array?.count == 60)
        #expect(said.contains("REQUEUE"))
    }

    /// A host of `127.0.0.1` and on whose feeds fall into the part.
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
