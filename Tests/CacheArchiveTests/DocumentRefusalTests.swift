import CacheArchive
import FeedCore
import JSONText
import TestDoubles
import TestSupport
import Testing

/// Archives whose JSON texts have exactly one fault each.
@Suite("Refused indexes, manifests and documents")
struct DocumentRefusalTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let make: @Sendable (inout LayoutBuilder) -> Void

        init(_ description: String, _ reason: String, _ make: @escaping @Sendable (inout LayoutBuilder) -> Void) {
            (testDescription, self.reason, self.make) = (description, reason, make)
        }
    }

    private static func index(
        _ what: String, _ reason: String, _ change: @escaping @Sendable (inout JSONValue) -> Void
    ) -> Fault { Fault("index: \(what)", reason) { $0.changeIndex = change } }

    private static func manifest(
        _ what: String, _ reason: String, _ change: @escaping @Sendable (inout JSONValue) -> Void
    ) -> Fault { Fault("manifest: \(what)", reason) { $0.changeManifest = change } }

    private static func document(
        _ what: String, _ reason: String, _ change: @escaping @Sendable (inout JSONValue) -> Void
    ) -> Fault { Fault("document: \(what)", reason) { $0.changeDocument = change } }

    private static func image(
        _ what: String, _ reason: String, _ change: @escaping @Sendable (inout JSONValue) -> Void
    ) -> Fault { document("image: \(what)", reason) { $0.change("images") { $0.changeElement(1, change) } } }

    static let faults: [Fault] = [
        Fault("layout: of another version", "oci-layout: imageLayoutVersion") {
            $0.layout = ["imageLayoutVersion": "2.0.0"]
        },
        Fault("layout: no version", "oci-layout: imageLayoutVersion") { $0.layout = [:] },
        Fault("layout: no object", "oci-layout") { $0.layout = [] },
        index("no object", "index.json") { $0 = [] },
        index("no version", "index.json: schemaVersion: missing") { $0.set("schemaVersion", nil) },
        index("another version", "index.json: schemaVersion: expected 2") { $0.set("schemaVersion", 1) },
        index("another type", "index.json: mediaType") { $0.set("mediaType", "text/plain") },
        index("no manifests", "index.json: manifests: missing") { $0.set("manifests", nil) },
        index("a manifest of another type", "manifests[0].mediaType") {
            $0.change("manifests") { $0.changeElement(0) { $0.set("mediaType", "application/json") } }
        },
        index("a manifest of another artifact", "manifests[0].artifactType") {
            $0.change("manifests") { $0.changeElement(0) { $0.set("artifactType", "application/vnd.example") } }
        },
        index("a digest of another kind", "manifests[0].digest: not a digest") {
            $0.change("manifests") { $0.changeElement(0) { $0.set("digest", "md5:00") } }
        },
        index("a wrong size", "bytes, and it has") {
            $0.change("manifests") { $0.changeElement(0) { $0.set("size", 5) } }
        },
        index("a negative size", "below 0") {
            $0.change("manifests") { $0.changeElement(0) { $0.set("size", -5) } }
        },
        index("nested too deep", "nested more than") { index in
            index.set("x", (0..<40).reduce([]) { inner, _ in .array([inner]) })
        },
        manifest("another version", "schemaVersion") { $0.set("schemaVersion", 3) },
        manifest("another type", "mediaType") { $0.set("mediaType", "application/vnd.oci.image.index.v1+json") },
        manifest("another artifact", "artifactType") { $0.set("artifactType", "application/vnd.example") },
        manifest("no config", "config: missing") { $0.set("config", nil) },
        manifest("no layers", "layers: missing") { $0.set("layers", nil) },
        manifest("a config of another type", "config.mediaType") {
            $0.change("config") { $0.set("mediaType", "application/vnd.oci.image.config.v1+json") }
        },
        manifest("a layer with a wrong size", "bytes, and it has") {
            $0.change("layers") { $0.changeElement(1) { $0.set("size", 1) } }
        },
        manifest("a layer that is not there", "not in the archive") {
            $0.change("layers") {
                $0.changeElement(1) { $0.set("digest", .string("sha256:\(String(repeating: "0", count: 64))")) }
            }
        },
        document("no object", "not an object") { $0 = "text" },
        document("another version", "version: expected 1, found 2") { $0.set("version", 2) },
        document("no version", "version: missing") { $0.set("version", nil) },
        document("no URL", "url: missing") { $0.set("url", nil) },
        document("a broken URL", "url: has no host") { $0.set("url", "https://") },
        document("a URL with a password", "user name or password") { $0.set("url", "https://me:pw@feeds.example/") },
        document("a URL that is written otherwise", "not in its usual form") { $0.set("url", "file:/a/feed.json") },
        document("no format", "format: missing") { $0.set("format", nil) },
        document("no time", "saved_at: missing") { $0.set("saved_at", nil) },
        document("a time that isn't", "saved_at: not a time") { $0.set("saved_at", "2026-02-30T00:00:00.000000Z") },
        document("a time in another form", "saved_at: not a time") { $0.set("saved_at", "2026-02-20T00:00:00Z") },
        document("no images", "images: missing") { $0.set("images", nil) },
        document("removed images that are no list", "removed: not an array") { $0.set("removed", [:]) },
        document("a removed image without an id", "removed[0].id: missing") {
            $0.set("removed", [["urls": ["https://images.example/1.png"]]])
        },
        document("a removed image without a URL", "removed[0].urls: missing") { $0.set("removed", [["id": "1"]]) },
        document("a removed image with an invalid URL", "removed[0].urls[0]: has no host") {
            $0.set("removed", [["id": "1", "urls": ["https://"]]])
        },
        document("a removed image with a password", "user name or password") {
            $0.set("removed", [["id": "1", "urls": ["https://me:pw@images.example/"]]])
        },
        document("a removed image with too many URLs", "removed[0].urls: more than 9") {
            let urls = (0..<10).map { JSONValue.string("https://images.example/\($0)") }
            $0.set("removed", [["id": "1", "urls": .array(urls)]])
        },
        document("a title that is no text", "title: not a string") { $0.set("title", 5) },
        image("no id", "images[1].id: missing") { $0.set("id", nil) },
        image("no URL", "images[1].url: missing") { $0.set("url", nil) },
        image("a local file in a feed from the network", "images[1].url: a file: URL") {
            $0.set("url", "file:///etc/passwd")
        },
        image("another scheme", "images[1].url: not an http(s) URL") { $0.set("url", "ftp://images.example/") },
        image("a digest that isn't", "images[1].digest: not a digest") { $0.set("digest", "sha256:ab") },
        image("data that is not there", "not in the archive") {
            $0.set("digest", .string("sha256:\(String(repeating: "0", count: 64))"))
        },
        image("a header with a line break", "images[1].etag: has a control character") {
            $0.set("etag", "\"x\"\r\nX-Evil: 1")
        },
        image("a title that is no text", "images[1].title: not a string") { $0.set("title", 5) },
        image("a link to a file", "images[1].link: not an http(s) URL") { $0.set("link", "file:///srv/post.html") },
        image("a link with a password", "images[1].link: has a user name or password") {
            $0.set("link", "https://me:pw@blog.example/")
        },
        image("a link that is written otherwise", "images[1].link: is not in its usual form") {
            $0.set("link", "https://b\u{FC}cher.example/")
        },
        image("a moment in another form", "images[1].published: not a time") { $0.set("published", "2026-11-20") },
        image("a moment that is a number", "images[1].published: not a string") { $0.set("published", 5) },
        image("other places that are no list", "images[1].alternatives: not an array") {
            $0.set("alternatives", "https://images.example/2.png")
        },
        image("another place that is a local file", "images[1].alternatives[1]: a file: URL") {
            $0.set("alternatives", ["https://images.example/2.png", "file:///etc/passwd"])
        },
        image("another place with a password", "images[1].alternatives[0]: has a user name or password") {
            $0.set("alternatives", ["https://me@images.example/2.png"])
        },
        image("more other places than a sync keeps", "images[1].alternatives: more than 8") { image in
            image.set("alternatives", .array((0..<9).map { .string("https://images.example/\($0).png") }))
        },
        Fault("a local feed's image elsewhere", "not a file in the feed's directory") { layout in
            layout.url = "file:///srv/feed.json"
            layout.changeDocument = { document in
                document.change("images") { $0.changeElement(0) { $0.set("url", "file:///etc/passwd") } }
            }
        },
        Fault("one feed described in two ways", "in another way than another document") { layout in
            var other = LayoutBuilder()
            other.changeDocument = { $0.set("title", "Another title") }
            let (document, manifest) = (other.document, other.manifest)
            layout.moreBlobs = [document, manifest]
            layout.changeIndex = { index in
                guard let first = index["manifests"]?[0] else {
                    Issue.record("an index without a manifest")
                    return
                }
                index.set("manifests", [first, LayoutBuilder.descriptor(manifest, LayoutBuilder.manifestType)])
            }
        },
    ]

    @Test("an archive with a fault in its index, manifest or document is refused", arguments: faults)
    func fault(_ fault: Fault) async throws {
        var layout = LayoutBuilder()
        fault.make(&layout)
        let reason = try await ArchiveFixture().refusal(of: layout.tar())
        #expect(reason?.contains(fault.reason) == true, "\(reason ?? "was taken")")
    }

    @Test(
        "an archive whose feed has a path in another form than a command uses is refused",
        arguments: ["/srv/x/../feed", "/srv/./feed", "/srv//feed", "//srv/feed", "/srv/feed/", "/.."])
    func alias(path: String) async throws {
        var layout = LayoutBuilder()
        layout.url = "file://\(path)"
        layout.images = []
        let reason = try await ArchiveFixture().refusal(of: layout.tar())
        #expect(reason?.contains("url: is not in its usual form") == true, "\(reason ?? "taken")")
    }

    @Test("an archive whose index gives a member twice is refused") func twice() async throws {
        let layout = LayoutBuilder()
        var tar = TarBuilder()
        for (name, bytes) in layout.files {
            let text = String(decoding: bytes, as: UTF8.self)
            tar.add(name, name == "index.json" ? Array((text.dropLast() + #","manifests":[]}"#).utf8) : bytes)
        }
        #expect(try await ArchiveFixture().refusal(of: tar.bytes)?.contains("manifests: given twice") == true)
    }

    @Test("an archive with an image that is listed twice is imported, with or without data") func sameImage()
        async throws
    {
        for digest in [LayoutBuilder.reference(LayoutBuilder().images[0]), nil] {
            var layout = LayoutBuilder()
            layout.changeDocument = { document in
                document.change("images") { images in
                    images.changeElement(1) { image in
                        image.set("url", "https://images.example/0.png")
                        image.set("digest", digest)
                    }
                }
            }
            #expect(try await ArchiveFixture().refusal(of: layout.tar()) == nil)
        }
    }

    @Test("an archive with unknown members or a manifest that is listed twice is imported") func unknown() async throws
    {
        var layout = LayoutBuilder()
        layout.changeDocument = { document in
            document.set("new", [1, "x", nil])
            document.change("images") { $0.changeElement(0) { $0.set("seen_by", ["later"]) } }
        }
        layout.changeManifest = { $0.set("annotations", ["a": "b"]) }
        layout.changeIndex = { index in
            guard let first = index["manifests"]?[0] else {
                Issue.record("an index without a manifest")
                return
            }
            index.set("manifests", [first, first])
        }
        #expect(try await ArchiveFixture().refusal(of: layout.tar()) == nil)
    }
}
