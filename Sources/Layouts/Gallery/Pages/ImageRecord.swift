internal import FeedCore
internal import JSONText

/// Everything about an image that a script shows or searches.
///
/// A page has the records of its images in a file of its own, which the script loads when it needs them: for the large
/// view, the search, and the images of the next page.
enum ImageRecord {
    static func write(_ tile: Tile, source: TileSource?, to json: inout JSONWriter) {
        let image = tile.image
        json.beginObject()
        if tile.carriesAnchor { json.member("id", tile.anchor) }
        json.member("classes", tile.classes)
        switch tile.display {
        case .image(let placed): write(placed, to: &json)
        case .missing(let reason): json.member("missing", HTMLWriter.plain(reason))
        }
        if tile.image.lastSeen != nil { json.member("kept", true) }
        // The results of a search in several feeds are sorted by it.
        json.member("order", tile.sortDate.microseconds / 1_000_000)
        write("description", tile.heading, to: &json)
        write("title", image.title, to: &json)
        if let published = image.published { json.member("date", published.day) }
        write("location", image.location, to: &json)
        write("author", image.author, to: &json)
        write("rights", image.rights, to: &json)
        let tags = image.tags.compactMap(HTMLWriter.visible)
        if !tags.isEmpty { json.member("tags", tags.map { HTMLWriter.plain($0, limit: 300) }) }
        if image.text != tile.heading { write("text", image.text, to: &json) }
        if let url = tile.pageURL { json.member("page", url) }
        if let url = tile.originalURL { json.member("original", url) }
        if let source {
            json.name("source")
            json.beginObject()
            json.member("title", HTMLWriter.plain(source.title, limit: TileSource.maxTitleLength))
            json.member("url", source.url)
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ placed: PlacedImage, to json: inout JSONWriter) {
        json.member("file", placed.file)
        if let size = placed.size {
            json.member("width", size.width)
            json.member("height", size.height)
        }
        guard placed.hasThumbnails else { return }
        json.member("preview", placed.preview)
        json.member("srcset", placed.sourceSet)
    }

    private static func write(_ name: StaticString, _ text: String?, to json: inout JSONWriter) {
        if let text = HTMLWriter.visible(text) { json.member(name, HTMLWriter.plain(text)) }
    }
}

/// A file of data that the script loads.
///
/// It is a script itself, because a page that is opened from disk can load nothing else. Any page of any site could run
/// it, so it passes its content only to a page that knows the gallery's key.
struct DataFile {
    static let directory = "data"

    /// Makes a file of JSON.
    ///
    /// The script has the JSON as one string, because a browser parses JSON five times as fast as a script.
    static func make(_ name: String, key: String, _ json: [UInt8]) -> SiteFile {
        var bytes = Array("document.documentElement.dataset.key===\"\(key)\"&&receive('".utf8)
        bytes.reserveCapacity(bytes.count + json.count + json.count / 64)
        for byte in json {
            if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "'") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes += "')\n".utf8
        return SiteFile(name: "\(directory)/\(name).js", bytes: bytes)
    }

    /// Returns the file of the images of one page.
    static func images(
        _ name: String, page: Int, edition: String, key: String, _ write: (inout JSONWriter) -> Void
    ) -> SiteFile {
        var json = JSONWriter()
        json.beginObject()
        json.member("edition", edition)
        json.name("images")
        json.beginArray()
        write(&json)
        json.endArray()
        json.endObject()
        return make("\(name).\(page)", key: key, json.bytes)
    }
}
