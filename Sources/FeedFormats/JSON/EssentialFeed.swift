internal import FeedCore
internal import JSONText

/// Decodes `{"items":[{"id": UUID, "description"?, "location"?, "image": URL}]}`.
///
/// Other members are ignored, but one invalid item makes the whole feed invalid.
enum EssentialFeed {
    /// Returns nil for a JSON Feed, which also has `items`.
    static func decode(
        _ document: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> DecodedFeed? {
        do throws(JSONError) {
            do throws(JSONError) {
                return try decodeItems(of: document, taking: selection)
            } catch {
                if error.kind == .mismatch, try JSONFeed.isJSONFeed(document.bytes) { return nil }
                throw error
            }
        } catch {
            throw error.error(host: document.url.hostAndPort)
        }
    }

    private static func decodeItems(
        of document: FeedSource, taking selection: ImageSelection
    ) throws(JSONError) -> DecodedFeed? {
        var reader = JSONReader(document.bytes)
        guard var images = try readFeed(&reader, document) else { return nil }
        try reader.finish()
        if let filter = ImageFilter(selection) { images = try accepted(images, by: filter, &reader) }
        return DecodedFeed(feed: Feed(format: .essential, images: images))
    }

    private static func accepted(
        _ images: [FeedImage], by filter: ImageFilter, _ reader: inout JSONReader
    ) throws(JSONError) -> [FeedImage] {
        do throws(DecodingFailure) {
            return zip(images, try filter.accepts(images.map(\.url))).filter(\.1).map(\.0)
        } catch {
            throw reader.error(error, at: 0)
        }
    }

    private static func readFeed(
        _ reader: inout JSONReader, _ document: FeedSource
    ) throws(JSONError) -> [FeedImage]? {
        let top = reader.position
        var images: [FeedImage]?
        var hasVersionNumber = false
        try reader.enterObject()
        while let name = try reader.nextMember() {
            if name == "version" {
                let version = try JSONFeed.readVersion(&reader)
                if version.isLine { return nil }
                hasVersionNumber = version.isNumber
                continue
            }
            guard name == "items" else {
                try reader.skipValue()
                continue
            }
            // Programs differ in which of two lists they read.
            guard images == nil else { throw reader.mismatch("given twice", at: reader.position) }
            images = try readItems(&reader, document)
        }
        guard let images else { throw reader.mismatch("missing", at: top, member: "items") }
        return images.isEmpty && hasVersionNumber ? nil : images
    }

    private static func readItems(
        _ reader: inout JSONReader, _ document: FeedSource
    ) throws(JSONError) -> [FeedImage] {
        let links = ImageLinks(in: document.url)
        var images: [FeedImage] = []
        try reader.enterArray()
        while try reader.nextElement() {
            guard !Task.isCancelled else { throw .cancelled }
            guard images.count < document.mostImages else {
                throw reader.mismatch(FeedSizeLimit.tooMany(document.mostImages), at: reader.position)
            }
            try readItem(&reader, links, into: &images)
        }
        return images
    }

    private static let members: [StaticString] = ["id", "description", "location", "image"]

    private static func readItem(
        _ reader: inout JSONReader, _ links: ImageLinks, into images: inout [FeedImage]
    ) throws(JSONError) {
        let item = reader.position
        var id: String?
        var description: String?
        var location: String?
        var url: ResourceURL?
        try JSONObject.read(&reader, members) { name, reader throws(JSONError) in
            switch name {
            case "id": id = try readID(&reader)
            case "description": description = try JSONObject.readOptionalString(&reader, longest: LongestText.essential)
            case "location": location = try JSONObject.readOptionalString(&reader, longest: LongestText.essential)
            default: url = try readImage(&reader, links)
            }
        }
        guard let id else { throw reader.mismatch("missing", at: item, member: "id") }
        guard let url else { throw reader.mismatch("missing", at: item, member: "image") }
        images.append(FeedImage(id: id, description: description, location: location, url: url))
    }

    private static func readID(_ reader: inout JSONReader) throws(JSONError) -> String {
        let start = reader.position
        let id = try reader.readString()
        guard JSONFeed.isUUID(id) else {
            throw reader.mismatch("not a UUID: \(JSONWriter.quote(id, limit: 40))", at: start)
        }
        return id
    }

    /// Reads the image's URL.
    ///
    /// The error omits an invalid URL, which may contain a password.
    private static func readImage(_ reader: inout JSONReader, _ links: ImageLinks) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let given = try reader.readString()
        do throws(InvalidURL) {
            return try links.image(given)
        } catch {
            throw reader.mismatch(error.reason, at: start)
        }
    }
}
