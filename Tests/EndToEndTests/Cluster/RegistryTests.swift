import JSONText
import TestSupport
import Testing

@Suite("Parts that meet in a registry", .timeLimit(.minutes(15)))
struct RegistryTests {
    @Test("Parts that meet in a registry are merged into the cache that one machine would have")
    func parts() async throws {
        let whole = try Program()
        let feeds = try ClusterFeeds(hosts: 6, onEach: 1)
        let list = try whole.directory.write(feeds.list, to: "feeds.opml")
        expectQuiet(try await whole.run("--allow-private", "--opml", list))
        let registry = try await Registry()
        for part in 0..<2 {
            let machine = try Program()
            let layout = machine.directory.path("part")
            expectQuiet(try await machine.run("--shard", "\(part)/2", "--allow-private", "--opml", list))
            _ = try await machine.shell(
                #"mkdir "$1"; "$feedsync" export --cache "$2" - | tar -x -C "$1""#, layout, machine.cache)
            let names = try await Subprocess.run("jq", ["-r", ".manifests[].annotations[]", "\(layout)/index.json"])
            for name in names.outputLines {
                try await registry.push("oci:\(layout):\(name)", as: "part-\(part):\(name)")
            }
        }

        let collector = try Program()
        for part in 0..<2 {
            let back = collector.directory.path("part-\(part)")
            for tag in try await tags(of: "part-\(part)", in: registry) {
                try await registry.pull("part-\(part):\(tag)", to: "oci:\(back):\(tag)")
            }
            expectQuiet(
                try await collector.shell(
                    #"tar -c -C "$1" . | "$feedsync" import --restore --cache "$2" -"#, back, collector.cache))
        }
        #expect(try await collector.status()["feeds"]?.array?.count == 6)
        for feed in feeds.urls {
            #expect(try await collector.images(of: feed) == whole.images(of: feed))
        }
        #expect(Files.names(in: collector.imageDirectory) == Files.names(in: whole.imageDirectory))
    }

    private func tags(of repository: String, in registry: Registry) async throws -> [String] {
        let listed = try await Subprocess.run(
            "skopeo", ["list-tags", "--tls-verify=false", "docker://\(registry.address)/\(repository)"])
        return try (JSONValue.parse(listed.standardOutput)["Tags"]?.array ?? []).compactMap(\.string)
    }
}

extension Program {
    fileprivate func images(of feed: String) async throws -> JSONValue? {
        try await run("show", "--offline", "--json", feed).comparableJSON["images"]
    }
}
