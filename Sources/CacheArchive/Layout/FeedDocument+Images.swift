internal import FeedCore
internal import JSONText

extension FeedDocument {
    private static let imageMembers: [StaticString] = [
        "id", "description", "location", "title", "link", "published", "last_seen", "alternatives", "url", "from",
        "digest", "fetched_at", "etag", "last_modified",
    ]

    static func readImage(
        _ reader: inout JSONReader, of feed: FeedHead
    ) throws(JSONError) -> (FeedImage, ImageData?) {
        let top = reader.position
        // In this format, a feed's texts are kept as they are.
        let longest = feed.format == .essential ? Int.max : longestText
        var id: String?
        var description: String?
        var location: String?
        var title: String?
        var link: ResourceURL?
        var published: Timestamp?
        var lastSeen: Timestamp?
        var alternatives: [ResourceURL] = []
        var url: ResourceURL?
        var from: ResourceURL?
        var digest: Digest?
        var fetchedAt: Timestamp?
        var etag: String?
        var lastModified: String?
        try JSONObject.read(&reader, imageMembers) { name, reader throws(JSONError) in
            switch name {
            case "id": id = try readText(&reader, longest: longestID)?.withoutPasswords
            case "description": description = try readText(&reader, longest: longest)
            case "location": location = try readText(&reader, longest: longest)
            case "title": title = try readText(&reader, longest: longest)
            case "link": link = try readUnlessNull(&reader, readLink)
            case "published": published = try readUnlessNull(&reader, readTime)
            case "last_seen": lastSeen = try readUnlessNull(&reader, readTime)
            case "alternatives": alternatives = try readAlternatives(&reader, of: feed.url)
            case "url": url = try readImageURL(&reader, of: feed.url)
            case "from":
                from = try readUnlessNull(&reader) { reader throws(JSONError) in
                    try readImageURL(&reader, of: feed.url)
                }
            case "fetched_at": fetchedAt = try readUnlessNull(&reader, readTime)
            case "digest": digest = try readUnlessNull(&reader, OCILayout.readDigest)
            case "etag": etag = try readHeaderValue(&reader)
            default: lastModified = try readHeaderValue(&reader)
            }
        }
        let image = FeedImage(
            id: try JSONObject.require(id, "id", of: top, reader), description: description, location: location,
            url: try JSONObject.require(url, "url", of: top, reader),
            post: FeedPost(title: title, link: link, published: published, lastSeen: lastSeen),
            alternatives: alternatives)
        guard let digest else { return (image, nil) }
        if let from, from.key != image.url.key, !image.alternatives.contains(where: { $0.key == from.key }) {
            throw reader.mismatch("from: not a URL of the image", at: top)
        }
        let data = ImageData(
            url: from ?? image.url, digest: digest, validators: Validators(etag: etag, lastModified: lastModified),
            fetchedAt: fetchedAt)
        return (image, data)
    }

    private static func readUnlessNull<Value>(
        _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        guard try reader.peek() == .null else { return try read(&reader) }
        try reader.readNull()
        return nil
    }

    /// A page on the web, also of a feed that is a file.
    private static func readLink(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        guard url.isRemote else { throw reader.mismatch("not an http(s) URL", at: start) }
        return url
    }

    private static func readAlternatives(
        _ reader: inout JSONReader, of feed: ResourceURL
    ) throws(JSONError) -> [ResourceURL] {
        let start = reader.position
        var alternatives: [ResourceURL] = []
        try reader.enterArray()
        while try reader.nextElement() {
            guard alternatives.count < FeedImage.mostAlternatives else {
                throw reader.mismatch("more than \(FeedImage.mostAlternatives)", at: start)
            }
            alternatives.append(try readImageURL(&reader, of: feed))
        }
        return alternatives
    }

    private static func readImageURL(
        _ reader: inout JSONReader, of feed: ResourceURL
    ) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        do { try url.check(asNamedBy: feed) } catch { throw reader.mismatch(error.reason, at: start) }
        return url
    }

    /// It is sent back to a server one day, where a line break would begin a header of its own.
    private static func readHeaderValue(_ reader: inout JSONReader) throws(JSONError) -> String? {
        let start = reader.position
        guard let value = try readText(&reader, longest: longestHeaders) else { return nil }
        guard value.isHeaderText else {
            throw reader.mismatch("has a control character in it", at: start)
        }
        return value
    }
}
