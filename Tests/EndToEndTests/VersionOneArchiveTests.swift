import JSONText
import TestSupport
import Testing

/// An archive as version 0.1.0 wrote it, and what a current archive adds to it.
@Suite("An archive of 0.1.0, from outside", .timeLimit(.minutes(10)))
struct VersionOneArchiveTests {
    private static let feed = "https://feeds.example/feed.json"

    private let program: Program
    private let archive = "\(Fixtures.directory)/archives/version-1.tar"

    init() throws { program = try Program() }

    /// The JSON texts of an archive of one feed.
    private struct Texts {
        let layout: JSONValue
        let index: JSONValue
        let manifest: JSONValue
        let document: JSONValue
    }

    private func texts(of archive: String) async throws -> Texts {
        func text(_ name: String) async throws -> JSONValue {
            try JSONValue.parse(try await program.shell(#"tar -xOf "$1" "$2""#, archive, name).standardOutput)
        }
        func blob(_ descriptor: JSONValue?) async throws -> JSONValue {
            let digest = try #require(descriptor?["digest"]?.string)
            return try await text(digest.replacing("sha256:", with: "blobs/sha256/"))
        }
        let index = try await text("index.json")
        let manifest = try await blob(index["manifests"]?[0])
        return Texts(
            layout: try await text("oci-layout"), index: index, manifest: manifest,
            document: try await blob(manifest["config"]))
    }

    private func names(_ value: JSONValue?) -> [String] {
        guard case .object(let members)? = value else { return [] }
        return members.map(\.0)
    }

    @Test("An archive of 0.1.0 is imported with everything that it contains")
    func importing() async throws {
        expectQuiet(try await program.run("import", "--restore", archive))
        let shown = try await program.run(
            "show", "--offline", "--json", "--max-age", "forever", Self.feed)
        let images = try #require(try shown.json["images"]?.array)
        #expect(images.map { $0["description"] } == ["Dawn", .null, .null])
        #expect(images.map { $0["location"] } == ["Here", .null, .null])
        #expect(images.map { $0["digest"]?.string != nil } == [true, true, false])
        #expect(images[0]["fetched_at"] == "2026-11-20T19:14:34.160334Z")
        #expect(try await program.sql("SELECT etag FROM data WHERE url LIKE '%/dawn.png'") == "\"1\"")
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("An export of what 0.1.0 knew adds only members that 0.1.0 ignores")
    func exporting() async throws {
        expectQuiet(try await program.run("import", "--restore", archive))
        let file = program.directory.path("new.tar")
        expectQuiet(try await program.run("export", file))
        let (old, new) = (try await texts(of: archive), try await texts(of: file))
        #expect(new.layout == old.layout)
        #expect(names(new.index) == names(old.index) + ["annotations"])
        #expect(names(new.index["manifests"]?[0]) == names(old.index["manifests"]?[0]))
        #expect(names(new.manifest) == names(old.manifest))
        #expect(new.manifest["layers"] == old.manifest["layers"])
        // 0.1.0 needs the images at the end of the document, and skips the dates of their data.
        let shared = names(new.document).filter(names(old.document).contains)
        #expect(shared == names(old.document) && names(new.document).last == "images")
        let (oldImages, newImages) = (old.document["images"]?.array ?? [], new.document["images"]?.array ?? [])
        #expect(oldImages.count == 3 && newImages.count == 3)
        for (oldImage, newImage) in zip(oldImages, newImages) {
            #expect(names(newImage).filter { $0 != "fetched_at" } == names(oldImage))
            for name in names(oldImage) { #expect(newImage[name] == oldImage[name]) }
        }
    }
}
