internal import FeedCore
internal import JSONText

extension FeedDocument {
    private static let imageMembers: [StaticString] = [
        "id", "description", "location", "url", "digest", "etag", "last_modified",
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
        var url: ResourceURL?
        var digest: Digest?
        var etag: String?
        var lastModified: String?
        try JSONObject.read(&reader, imageMembers) { name, reader throws(JSONError) in
            switch name {
            case "id": id = try readText(&reader, longest: longestID)?.withoutPasswords
            case "description": description = try readText(&reader, longest: longest)
            case "location": location = try readText(&reader, longest: longest)
            case "url": url = try readImageURL(&reader, of: feed.url)
            case "digest":
                if try reader.peek() == .null {
                    try reader.readNull()
                } else {
                    digest = try OCILayout.readDigest(&reader)
                }
            case "etag": etag = try readHeaderValue(&reader)
            default: lastModified = try readHeaderValue(&reader)
            }
        }
        let image = FeedImage(
            id: try JSONObject.require(id, "id", of: top, reader), description: description, location: location,
            url: try JSONObject.require(url, "url", of: top, reader))
        let validators = Validators(etag: etag, lastModified: lastModified)
        return (image, digest.map { ImageData(digest: $0, validators: validators) })
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
