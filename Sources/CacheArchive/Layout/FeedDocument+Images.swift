internal import FeedCore
internal import JSONText

/// Reads the images of a feed in an archive.
extension FeedDocument {
    static func readImage(
        _ reader: inout JSONReader, of feed: FeedHead
    ) throws(JSONError) -> (FeedImage, DocumentedData?) {
        let top = reader.position
        var members = ImageMembers(of: feed)
        try JSONObject.read(&reader, ImageMembers.names) { name, reader throws(JSONError) in
            try members.read(name, &reader)
        }
        let image = FeedImage(
            id: try JSONObject.require(members.id, "id", of: top, reader), description: members.description,
            location: members.location, url: try JSONObject.require(members.url, "url", of: top, reader),
            post: FeedPost(
                title: members.title, link: members.link, published: members.published, author: members.author,
                rights: members.rights, tags: members.tags, text: members.text, lastSeen: members.lastSeen),
            alternatives: members.alternatives)
        guard let digest = members.digest else { return (image, nil) }
        let from = members.from ?? image.url
        guard from.key == image.url.key || image.alternatives.contains(where: { $0.key == from.key }) else {
            throw reader.mismatch("from: not a URL of the image", at: top)
        }
        let data = DocumentedData(
            url: from, digest: digest,
            validators: Validators(etag: members.etag, lastModified: members.lastModified),
            fetchedAt: members.fetchedAt)
        return (image, data)
    }

    /// The members of an image that have been read so far.
    private struct ImageMembers {
        static let names: [StaticString] = [
            "id", "description", "location", "title", "link", "published", "author", "rights", "tags", "text",
            "last_seen", "alternatives", "url", "from",
            "digest", "fetched_at", "etag", "last_modified",
        ]

        let feed: ResourceURL
        /// The limit for texts.
        let longest: Int
        var id: String?
        var description: String?
        var location: String?
        var title: String?
        var link: ResourceURL?
        var published: Timestamp?
        var author: String?
        var rights: String?
        var tags: [String] = []
        var text: String?
        var lastSeen: Timestamp?
        var alternatives: [ResourceURL] = []
        var url: ResourceURL?
        var from: ResourceURL?
        var digest: Digest?
        var fetchedAt: Timestamp?
        var etag: String?
        var lastModified: String?

        init(of feed: FeedHead) {
            self.feed = feed.url
            longest = feed.format == .essential ? LongestText.essential : FeedDocument.longestText
        }

        mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
            switch name {
            case "id": id = try FeedDocument.readText(&reader, longest: FeedDocument.longestID)?.withoutPasswords
            case "description": description = try FeedDocument.readText(&reader, longest: longest)
            case "location": location = try FeedDocument.readText(&reader, longest: longest)
            case "title": title = try FeedDocument.readText(&reader, longest: longest)
            case "link": link = try FeedDocument.readUnlessNull(&reader, FeedDocument.readLink)
            case "published": published = try FeedDocument.readUnlessNull(&reader, FeedDocument.readTime)
            case "author": author = try FeedDocument.readText(&reader, longest: FeedDocument.longestText)
            case "rights": rights = try FeedDocument.readText(&reader, longest: FeedDocument.longestText)
            case "tags": tags = try FeedDocument.readUnlessNull(&reader, FeedDocument.readTags) ?? []
            case "text": text = try FeedDocument.readText(&reader, longest: FeedDocument.longestText)
            case "last_seen": lastSeen = try FeedDocument.readUnlessNull(&reader, FeedDocument.readTime)
            case "alternatives":
                alternatives = try FeedDocument.readImageURLs(&reader, most: FeedImage.mostAlternatives, of: feed)
            case "url": url = try FeedDocument.readImageURL(&reader, of: feed)
            case "from":
                from = try FeedDocument.readUnlessNull(&reader) { reader throws(JSONError) in
                    try FeedDocument.readImageURL(&reader, of: feed)
                }
            case "fetched_at": fetchedAt = try FeedDocument.readUnlessNull(&reader, FeedDocument.readTime)
            case "digest": digest = try FeedDocument.readUnlessNull(&reader, OCILayout.readDigest)
            case "etag": etag = try FeedDocument.readHeaderValue(&reader)
            default: lastModified = try FeedDocument.readHeaderValue(&reader)
            }
        }
    }

    static func readUnlessNull<Value>(
        _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        guard try reader.peek() == .null else { return try read(&reader) }
        try reader.readNull()
        return nil
    }

    /// Reads the URL of a page on the web, which is required even in a feed that is a file.
    static func readLink(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        guard url.isRemote else { throw reader.mismatch("not an http(s) URL", at: start) }
        return url
    }

    private static func readTags(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        let start = reader.position
        var tags: [String] = []
        try reader.enterArray()
        while try reader.nextElement() {
            guard tags.count < FeedPost.mostTags else {
                throw reader.mismatch("more than \(FeedPost.mostTags)", at: start)
            }
            guard let tag = try readText(&reader, longest: longestText) else { continue }
            // The cache separates tags by line breaks.
            guard !tag.utf8.contains(UInt8(ascii: "\n")) else {
                throw reader.mismatch("has a line break in it", at: start)
            }
            tags.append(tag)
        }
        return tags
    }

    private static func readImageURLs(
        _ reader: inout JSONReader, most: Int, of feed: ResourceURL
    ) throws(JSONError) -> [ResourceURL] {
        let start = reader.position
        var urls: [ResourceURL] = []
        try reader.enterArray()
        while try reader.nextElement() {
            guard urls.count < most else { throw reader.mismatch("more than \(most)", at: start) }
            urls.append(try readImageURL(&reader, of: feed))
        }
        return urls
    }

    /// Reads an image that was removed.
    static func readRemoved(
        _ reader: inout JSONReader, of feed: ResourceURL
    ) throws(JSONError) -> RemovedImages.Removal {
        let top = reader.position
        var id: String?
        var urls: [ResourceURL] = []
        try JSONObject.read(&reader, ["id", "urls"]) { name, reader throws(JSONError) in
            if name == "id" {
                id = try readText(&reader, longest: longestID)?.withoutPasswords
            } else {
                urls = try readImageURLs(&reader, most: RemovedImages.mostURLs, of: feed)
            }
        }
        guard !urls.isEmpty else { throw reader.mismatch("missing", at: top, member: "urls") }
        return RemovedImages.Removal(id: try JSONObject.require(id, "id", of: top, reader), urls: urls)
    }

    private static func readImageURL(
        _ reader: inout JSONReader, of feed: ResourceURL
    ) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        do { try url.check(asNamedBy: feed) } catch { throw reader.mismatch(error.reason, at: start) }
        return url
    }

    /// Reads the value of a header.
    ///
    /// It will be sent to a server, where a line break would begin another header.
    private static func readHeaderValue(_ reader: inout JSONReader) throws(JSONError) -> String? {
        let start = reader.position
        guard let value = try readText(&reader, longest: longestHeaders) else { return nil }
        guard value.isHeaderText else {
            throw reader.mismatch("has a control character in it", at: start)
        }
        return value
    }
}
