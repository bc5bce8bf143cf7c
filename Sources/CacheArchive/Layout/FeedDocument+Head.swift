internal import FeedCore
internal import JSONText

extension FeedDocument {
    static func readHead(_ reader: inout JSONReader) throws(JSONError) -> FeedHead {
        let top = reader.position
        var hasVersion: Bool?
        var hasImages: Bool?
        var url: ResourceURL?
        var title: String?
        var format: Feed.Format?
        var savedAt: Timestamp?
        var keep: Keep?
        try JSONObject.read(
            &reader, ["version", "url", "title", "format", "saved_at", "keep", "images"]
        ) { name, reader throws(JSONError) in
            let start = reader.position
            switch name {
            case "version":
                try JSONObject.expect(OCILayout.documentVersion, &reader)
                hasVersion = true
            case "url": url = try readFeedURL(&reader)
            case "title": title = try readText(&reader, longest: longestText)
            case "format":
                let name = try reader.readString()
                format = Feed.Format(rawValue: name)
                if format == nil {
                    throw reader.mismatch("unknown format \(JSONWriter.quote(name, limit: 40))", at: start)
                }
            case "saved_at": savedAt = try readTime(&reader)
            // What a later version may mean by it is not known.
            case "keep": keep = try readText(&reader, longest: longestText).flatMap(Keep.init)
            default:
                // They may be many, and are looked at one by one.
                guard try reader.peek() == .array else { throw reader.mismatch("not an array", at: start) }
                try reader.skipValue()
                hasImages = true
            }
        }
        _ = try JSONObject.require(hasVersion, "version", of: top, reader)
        _ = try JSONObject.require(hasImages, "images", of: top, reader)
        return FeedHead(
            url: try JSONObject.require(url, "url", of: top, reader), title: title,
            format: try JSONObject.require(format, "format", of: top, reader),
            savedAt: try JSONObject.require(savedAt, "saved_at", of: top, reader), keep: keep)
    }

    /// One file is one feed, however its path is written: to a command it has one path alone.
    private static func readFeedURL(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        if let path = url.filePath, FilePath.normalised(path) != path { throw reader.mismatch(notUsual, at: start) }
        // Older versions knew a web feed by more than one.
        return url.asFeed
    }

    static func readTime(_ reader: inout JSONReader) throws(JSONError) -> Timestamp {
        let start = reader.position
        guard let time = Timestamp(rfc3339: try reader.readString()) else {
            throw reader.mismatch("not a time such as 2026-03-29T01:59:59.000001Z", at: start)
        }
        return time
    }

    private static let notUsual = "is not in its usual form"

    /// A URL isn't quoted when it is wrong: there may be a password in it.
    static func readURL(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let given = try reader.readString()
        do throws(InvalidURL) {
            let url = try ResourceURL(given)
            // One that would be written in another way names the same twice.
            guard url.credentials == nil else { throw InvalidURL("has a user name or password in it") }
            guard url.text.utf8.elementsEqual(given.utf8) else { throw InvalidURL(notUsual) }
            return url
        } catch {
            throw reader.mismatch(error.reason, at: start)
        }
    }
}
