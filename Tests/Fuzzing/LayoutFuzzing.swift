import FeedCore
import TestDoubles
import TestSupport

/// Four texts with a NUL between them: the layout file, the index, a manifest and a document. In them `@` stands for a
/// digest: of the manifest, the document or the image, whichever the text before it is to name. Else no change to them
/// would ever come past the first check.
enum LayoutFuzzing {
    private static let image = Samples.png("fuzzing")

    static func run(_ bytes: [UInt8]) {
        let texts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
        guard texts.count == 4 else { return }
        ArchiveFuzzing.run(archive(texts))
    }

    static func archive(_ texts: [[UInt8]]) -> [UInt8] {
        let document = fill(texts[3], [image])
        let manifest = fill(texts[2], [document, image])
        let index = fill(texts[1], [manifest])
        var tar = TarBuilder()
        tar.add("oci-layout", texts[0])
        tar.add("index.json", index)
        var names: Set<String> = []
        for blob in [manifest, document, image] {
            let name = "blobs/sha256/\(InMemoryImageStore.digest(of: blob).hex)"
            if names.insert(name).inserted { tar.add(name, blob) }
        }
        tar.end()
        return tar.bytes
    }

    /// Each `@` becomes the digest and the size of the next of `blobs`, the last of them for all that are left over.
    private static func fill(_ text: [UInt8], _ blobs: [[UInt8]]) -> [UInt8] {
        var filled: [UInt8] = []
        var next = 0
        for byte in text {
            let blob = blobs[min(next, blobs.count - 1)]
            switch byte {
            case UInt8(ascii: "@"): filled += InMemoryImageStore.digest(of: blob).hex.utf8
            case UInt8(ascii: "#"):
                filled += String(blob.count).utf8
                next += 1
            default: filled.append(byte)
            }
        }
        return filled
    }

    static let texts = [
        #"{"imageLayoutVersion":"1.0.0"}"#,
        """
        {"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":\
        "application/vnd.oci.image.manifest.v1+json","digest":"sha256:@","size":#}]}
        """,
        """
        {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":\
        "application/vnd.feedsync.feed.v1+json","config":{"mediaType":"application/vnd.feedsync.feed.v1+json",\
        "digest":"sha256:@","size":#},"layers":[{"mediaType":"image/png","digest":"sha256:@","size":#}]}
        """,
        """
        {"version":1,"url":"https://a.example/f","title":"T","format":"essential","saved_at":\
        "2026-01-02T03:04:05.000006Z","images":[{"id":"1","description":"d","location":"l","title":"t",\
        "link":"https://b/p","published":"2026-01-02T03:04:05.000006Z","alternatives":["https://a.example/2.png",\
        "https://b/3"],"url":"https://a.example/1.png","digest":"sha256:@","etag":"e",\
        "last_modified":"m"},{"id":"2","url":"https://b/"}]}
        """,
    ].map { Array($0.utf8) }

    static var seeds: [(name: String, bytes: [UInt8])] {
        let local = texts.map { text in
            Array(String(decoding: text, as: UTF8.self).replacingURLs.utf8)
        }
        return [
            ("remote", Array(texts.joined(separator: [0]))), ("local", Array(local.joined(separator: [0]))),
        ]
    }
}

extension String {
    /// Of a local feed, with an image beside it.
    fileprivate var replacingURLs: String {
        split(separator: "https://a.example/", omittingEmptySubsequences: false).joined(separator: "file:///srv/")
    }
}
