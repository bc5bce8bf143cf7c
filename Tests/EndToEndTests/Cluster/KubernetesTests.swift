import Glibc
import JSONText
import TestSupport
import Testing

/// The Kubernetes example without a cluster: its form, and the commands of its containers.
@Suite("The Kubernetes example", .timeLimit(.minutes(15)))
struct KubernetesTests {
    private let whole: Program

    init() throws { whole = try Program() }

    private func documents() async throws -> [JSONValue] {
        let read = try await Subprocess.run("yq", ["-s", ".", "\(Fixtures.directory)/cluster/kubernetes.yaml"])
        #expect(read.status == .exited(0), "\(read.errorText)")
        return try JSONValue.parse(read.standardOutput).array ?? []
    }

    private func script(of job: JSONValue) throws -> String {
        let container = try #require(job["spec"]?["template"]?["spec"]?["containers"]?[0])
        let words = ((container["command"]?.array ?? []) + (container["args"]?.array ?? [])).compactMap(\.string)
        try #require(words.prefix(2) == ["sh", "-c"] && words.count == 3)
        return words[2]
    }

    @Test("The Kubernetes example has a volume and two Jobs with everything that their kinds need")
    func form() async throws {
        let all = try await documents()
        #expect(all.compactMap { $0["kind"]?.string } == ["PersistentVolumeClaim", "Job", "Job"])
        let parts = try #require(all[1]["spec"])
        #expect(parts["completionMode"] == "Indexed" && parts["completions"] == parts["parallelism"])
        let count = try #require(parts["completions"]?.int)
        #expect(try script(of: all[1]).contains("--shard \"$JOB_COMPLETION_INDEX/\(count)\""))
        for job in all.dropFirst() {
            #expect(job["apiVersion"] == "batch/v1")
            let pod = try #require(job["spec"]?["template"]?["spec"])
            #expect(pod["restartPolicy"] == "OnFailure")
            let volumes = Set((pod["volumes"]?.array ?? []).compactMap { $0["name"]?.string })
            let mounted = (pod["containers"]?[0]?["volumeMounts"]?.array ?? []).compactMap { $0["name"]?.string }
            #expect(Set(mounted) == volumes && !volumes.isEmpty)
        }
    }

    /// Makes the volumes, and returns the scripts of the two Jobs.
    private func prepare(_ feeds: ClusterFeeds) async throws -> [String] {
        for directory in ["bin", "feeds", "shared"] { try whole.directory.makeDirectory(directory) }
        try whole.directory.write(feeds.list, to: "feeds/feeds.opml")
        return try await documents().dropFirst().map(script)
    }

    /// Runs a command as in a container, except for the location of its volumes.
    private func run(_ script: String, _ index: Int) async throws -> ProcessResult {
        var script = script
        for directory in ["feeds", "shared"] {
            script = script.replacing("/\(directory)/", with: "\(whole.directory.path(directory))/")
        }
        return try await whole.shell(
            """
            ln -sf "$feedsync" "$1/feedsync"; export PATH="$1:$PATH" JOB_COMPLETION_INDEX="$2"
            export FEEDSYNC_CACHE="$3" FEEDSYNC_ALLOW_PRIVATE=true; exec sh -c "$4"
            """, whole.directory.path("bin"), String(index), whole.directory.path("cache-\(index)"), script)
    }

    @Test("A pod of the Kubernetes example that runs again leaves thin archives, and a full one after ten of them")
    func thinArchives() async throws {
        let feeds = try ClusterFeeds(hosts: 1, onEach: 1)
        let jobs = try await prepare(feeds)
        let part = try await Subprocess.run(
            "sh", ["-c", "echo $((0x$(printf 127.0.0.1 | sha256sum | cut -c1-8) % 4))"])
        let index = try #require(Int(part.outputText.dropLast()))
        let thin = (2...11).map { "part-\(index)-\($0).tar" }
        for time in 0...11 {
            // Another pod resumes with the archives of its part.
            if time == 5 { _ = try await whole.shell(#"rm -rf "$1""#, whole.directory.path("cache-\(index)")) }
            let result = try await run(jobs[0], index)
            #expect(result.status == .exited(0), "\(result.errorText)")
            let expected = ["part-\(index).tar"] + (time <= 10 ? Array(thin.prefix(time)) : [])
            #expect(Files.names(in: whole.directory.path("shared")).sorted() == expected.sorted(), "\(time)")
            if time == 10 {
                let merging = try await run(jobs[1], 0)
                #expect(merging.status == .exited(0), "\(merging.errorText)")
                _ = try await whole.shell(#"mv "$1/shared/cache" "$1/merged""#, whole.directory.path)
            }
        }
        let merged = try Program(cache: whole.directory.path("merged"))
        #expect(Files.names(in: merged.imageDirectory).count == 1)
        // Only the first run, and none after it, has requested the image.
        #expect(feeds.server.requests.filter { $0.path == ClusterFeeds.image(1, 0) }.count == 1)
    }

    @Test("The Kubernetes example mirrors all feeds in parts and merges them, even if some fail")
    func mirroring() async throws {
        let feeds = try ClusterFeeds(hosts: 12, onEach: 1)
        feeds.server.route("/3-0.json") { _ in Reply(404) }
        let jobs = try await prepare(feeds)
        // A pod that lacks its list has failed, and leaves nothing to merge.
        rename(whole.directory.path("feeds/feeds.opml"), whole.directory.path("feeds/other"))
        #expect(try await run(jobs[0], 0).status == .exited(66))
        rename(whole.directory.path("feeds/other"), whole.directory.path("feeds/feeds.opml"))
        var complaints = ""
        for index in 0..<4 {
            let result = try await run(jobs[0], index)
            #expect(result.status == .exited(0), "\(result.errorText)")
            complaints += result.errorText
        }
        #expect(complaints.contains("3-0.json: the server answered HTTP 404"))
        let merging = try await run(jobs[1], 0)
        #expect(merging.status == .exited(0), "\(merging.errorText)")
        let merged = try Program(cache: whole.directory.path("shared/cache"))
        let found = try await merged.status()["feeds"]?.array?.compactMap { $0["url"]?.string }
        #expect(Set(found ?? []) == Set(feeds.urls.filter { !$0.hasSuffix("/3-0.json") }))
        #expect(Files.names(in: merged.imageDirectory).count == 11)
    }
}
