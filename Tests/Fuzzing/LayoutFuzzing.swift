import FeedCore
import TestDoubles
import TestSupport

/// Four texts with a NUL between them: the layout file, the index, a manifest and a document.
///
/// In them `@` stands for a digest: of the manifest, the document or the image, whichever the text before it is to
/// name. Else no change to them would ever come past the first check. A text can also repeat a part of itself, so that
/// a short input makes a document with very many or very long alternatives.
enum LayoutFuzzing {
    private static let image = Samples.png("fuzzing")

    static func run(_ bytes: [UInt8]) {
        let texts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
        guard texts.count == 4 else { return }
        let (full, thin) = (archive(texts), archive(texts, isThin: true))
        ArchiveFuzzing.check(full)
        ArchiveFuzzing.check(thin)
        ArchiveFuzzing.checkMerge(thin, full)
    }

    /// A thin archive lacks the image.
    static func archive(_ texts: [[UInt8]], isThin: Bool = false) -> [UInt8] {
        let document = fill(repeated(texts[3]), [image])
        let manifest = fill(texts[2], [document, image])
        let index = fill(texts[1], [manifest])
        var tar = TarBuilder()
        tar.add("oci-layout", texts[0])
        tar.add("index.json", index)
        var names: Set<String> = []
        for blob in [manifest, document] + (isThin ? [] : [image]) {
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

    /// The byte 1 and the byte N after it repeat the element of a list before them 2^N times, and the bytes 2 and N the
    /// byte before them.
    ///
    /// JSON has no such bytes.
    private static func repeated(_ text: [UInt8]) -> [UInt8] {
        var repeated: [UInt8] = []
        var repetitions = 0
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == 1 || byte == 2, repetitions < 8, let exponent = rest.popFirst() else {
                repeated.append(byte)
                continue
            }
            repetitions += 1
            var part = repeated.suffix(1)
            if byte == 1 {
                let separator = repeated.lastIndex { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ",") }
                part = [UInt8(ascii: ",")] + repeated[(separator.map { $0 + 1 } ?? 0)...]
            }
            for _ in 0..<(1 << (exponent & 15)) where repeated.count + part.count <= mostBytes { repeated += part }
        }
        return repeated
    }

    /// Longer texts would leave time for few runs.
    private static let mostBytes = 100_000

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

    /// The same texts for an archive that says that it is thin.
    static let thinTexts = [
        texts[0], Array(String(decoding: texts[1], as: UTF8.self).dropLast().utf8) + thinMark, texts[2], texts[3],
    ]

    private static let thinMark = Array(#","annotations":{"org.feedsync.thin":"true"}}"#.utf8)

    /// Feeds whose alternatives are very many, very long or none that a feed could have.
    private static let hostileAlternatives = [
        "\"https://b/4\"\u{1}\u{F}", "\"https://b/4\u{2}\u{F}\"", "\"https://b/4?a=%\u{2}\u{E}\"\u{1}\u{3}",
        #""https://a.example/1.png","https://a.example/1.png""#, #""","//b","/c","b\n","https://u:p@b/","HTTPS://B/x""#,
        #""file:///etc/passwd","http://[::1]/","https://b:99999/","data:,""#,
        #"null,1,{"url":"https://b/"},["https://b/"]"#,
    ]

    private static func texts(withAlternatives alternatives: String) -> [[UInt8]] {
        let document = String(decoding: texts[3], as: UTF8.self)
        let parts = document.split(separator: #""https://a.example/2.png","https://b/3""#, maxSplits: 1)
        return texts.dropLast() + [Array(parts.joined(separator: alternatives).utf8)]
    }

    /// An archive whose document has as many alternatives as fit into it.
    static var hostile: [UInt8] { archive(texts(withAlternatives: hostileAlternatives[0])) }

    static var seeds: [(name: String, bytes: [UInt8])] {
        let local = texts.map { text in
            Array(String(decoding: text, as: UTF8.self).replacingURLs.utf8)
        }
        return [
            ("remote", Array(texts.joined(separator: [0]))), ("local", Array(local.joined(separator: [0]))),
            ("thin", Array(thinTexts.joined(separator: [0]))),
        ]
            + hostileAlternatives.enumerated().map { number, alternatives in
                ("alternatives-\(number)", Array(texts(withAlternatives: alternatives).joined(separator: [0])))
            }
    }
}

extension String {
    /// The text of a local feed, whose images are files beside it.
    fileprivate var replacingURLs: String {
        split(separator: "https://a.example/", omittingEmptySubsequences: false).joined(separator: "file:///srv/")
    }
}
