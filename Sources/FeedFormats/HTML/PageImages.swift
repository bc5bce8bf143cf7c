internal import FeedCore

/// Finds the images of a web page: those of its comic, else the one that the page names for programs that link to it.
///
/// The page names it as `og:image`, else as `twitter:image`, else as `image_src`.
final class PageImages: HTMLVisitor {
    /// The most images of a page.
    private static let most = 64

    private let page: ResourceURL
    /// The base of relative references, if the page declares one.
    private var base: ResourceURL?
    private var graph = Named()
    private var card = Named()
    private var source: String?
    /// The images of the comic, by the row of the table that recognises its element.
    private var comics: [Int: HTMLImages] = [:]
    /// The open elements of comics, the innermost last, and how many elements of the same kind are open in each.
    private var open: [(tag: String, depth: Int, row: Int)] = []

    /// The image that a vocabulary of `<meta>` tags names.
    private struct Named {
        var url: String?
        var secureURL: String?
        var words: String?
        /// The number of images that the tags name; the first one counts.
        var count = 0
    }

    private init(of page: ResourceURL) { self.page = page }

    static func find(
        in page: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> [PageImage] {
        let visitor = PageImages(of: page.url)
        HTMLReader().read(PageText.decode(page), for: visitor)
        guard !Task.isCancelled else { throw .cancelled }
        var item = FeedItem()
        item.substitutes = visitor.candidates
        do throws(DecodingFailure) {
            var collector = ImageCollector(in: page, taking: selection) { _, _ in nil }
            try collector.add(item)
            return try collector.finish().images.map {
                PageImage(url: $0.url.withoutCredentials, description: $0.description, alternatives: $0.alternatives)
            }
        } catch {
            throw error.error(host: page.url.hostAndPort)
        }
    }

    /// The lists of images, the most probable ones first.
    private var candidates: [[NamedImage]] {
        let comics = comics.sorted { $0.key < $1.key }.map { $0.value.finish() }
        return comics + [image(graph), image(card), image(Named(url: source))]
    }

    private func image(_ named: Named) -> [NamedImage] {
        let renditions = [named.secureURL, named.url].compactMap(\.self).map {
            NamedImage.Rendition(reference: $0, base: base)
        }
        return renditions.isEmpty ? [] : [NamedImage(renditions, description: Caption.words(named.words))]
    }

    // MARK: Reading

    func begin(_ tag: String, _ attributes: HTMLAttributes) {
        switch tag {
        case "meta": take(meta: attributes)
        case "link": take(link: attributes)
        case "base": take(base: attributes["href"])
        default: break
        }
        if let row = ComicElement.row(of: tag, attributes) {
            open.append((tag, 1, row))
        } else if let last = open.indices.last, open[last].tag == tag {
            open[last].depth += 1
        }
        images?.begin(tag, attributes)
    }

    func end(_ tag: String) {
        images?.end(tag)
        guard let last = open.indices.last, open[last].tag == tag else { return }
        open[last].depth -= 1
        if open[last].depth == 0 { open.removeLast() }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) { images?.text(text) }

    /// The images of the innermost open comic.
    private var images: HTMLImages? {
        guard let row = open.last?.row else { return nil }
        if let images = comics[row] { return images }
        let images = HTMLImages(base: base, atMost: Self.most)
        comics[row] = images
        return images
    }

    private func take(meta attributes: HTMLAttributes) {
        guard let name = attributes["property"] ?? attributes["name"], name.utf8.count < 64,
            let content = attributes["content"].flatMap(FoldedText.fold)
        else { return }
        switch name.lowercased() {
        case "og:image":
            graph.count += 1
            graph.url = graph.url ?? content
        case "og:image:url": graph.url = graph.url ?? content
        case "og:image:secure_url" where graph.count <= 1: graph.secureURL = graph.secureURL ?? content
        case "og:image:alt" where graph.count <= 1: graph.words = graph.words ?? content
        case "twitter:image", "twitter:image:src": card.url = card.url ?? content
        case "twitter:image:alt": card.words = card.words ?? content
        default: break
        }
    }

    private func take(link attributes: HTMLAttributes) {
        guard source == nil, let relation = attributes["rel"], relation.utf8.count < 256 else { return }
        if relation.lowercased().split(whereSeparator: \.isWhitespace).contains("image_src") {
            source = attributes["href"].flatMap(FoldedText.fold)
        }
    }

    /// Takes the first base that is a web address.
    private func take(base reference: String?) {
        guard base == nil, let reference else { return }
        do throws(InvalidURL) {
            let url = try WebReference(reference).resolved(on: page)
            if url.isRemote { base = url }
        } catch {
            // A page with an invalid base has its own URL as its base.
            base = nil
        }
    }
}

/// The text of a web page.
enum PageText {
    /// The beginning of a page in which browsers look for its encoding.
    private static let longestHead = 1024

    /// Returns the text.
    ///
    /// Bytes that are valid UTF-8 are UTF-8. Otherwise a byte order mark counts, else the server's label, else the
    /// page's, else the encoding of old pages in the west.
    static func decode(_ page: FeedSource) -> String {
        let bytes = page.bytes
        if let wide = WideText.encoding(of: bytes) { return decode(bytes, wide) }
        if EncodingLabel.isUTF8(bytes) { return String(decoding: bytes, as: UTF8.self) }
        return decode(bytes, EncodingLabel.decoder(inMediaType: page.contentType) ?? label(in: bytes) ?? "CP1252")
    }

    private static func decode(_ bytes: [UInt8], _ encoding: String) -> String {
        String(decoding: TextDecoder(encoding)?.utf8(of: bytes) ?? bytes, as: UTF8.self)
    }

    /// Returns the encoding in `<meta charset="…">` or in the media type of an older `<meta>` tag.
    private static func label(in bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(longestHead), as: UTF8.self).lowercased()
        for part in head.split(separator: "charset").dropFirst() {
            let value = part.drop(while: \.isWhitespace)
            guard value.first == "=" else { continue }
            let label = value.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                .prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            if let decoder = EncodingLabel.decoder(for: String(label)) { return decoder }
        }
        return nil
    }
}
