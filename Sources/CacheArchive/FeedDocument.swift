internal import Dispatch
internal import FeedCore
internal import JSONText

/// A feed as an archive has it.
struct FeedDocument {
    /// An image's data, as the document tells of it.
    struct ImageData {
        let digest: Digest
        let validators: Validators
    }

    private static let groupsAhead = 2

    /// Visits the bytes of the document, a chunk at a time.
    typealias Source = (_ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) -> Void

    private let source: Source
    private let name: String

    /// `name` is what messages call it.
    init(name: String, _ source: @escaping Source) {
        self.name = "\(name) (a feed document)"
        self.source = source
    }

    /// All but the images, which are passed over.
    func readHead() throws(FeedError) -> FeedHead {
        var splitter = DocumentSplitter()
        try source { chunk throws(FeedError) in try splitter.take(chunk) { _ in } }
        if splitter.isInList {
            throw .invalidData("\(name): images: the list has no end, or brackets that don't match")
        }
        if splitter.endsInComma { throw .invalidData("\(name): images: a comma with no image behind it") }
        return try OCILayout.read(splitter.rest, of: name) { reader throws(JSONError) in
            try Self.readHead(&reader)
        }
    }

    private static func readHead(_ reader: inout JSONReader) throws(JSONError) -> FeedHead {
        let top = reader.position
        var hasVersion: Bool?
        var hasImages: Bool?
        var url: ResourceURL?
        var title: String?
        var format: Feed.Format?
        var savedAt: Timestamp?
        try JSONObject.read(
            &reader, ["version", "url", "title", "format", "saved_at", "images"]
        ) { name, reader throws(JSONError) in
            let start = reader.position
            switch name {
            case "version":
                try JSONObject.expect(OCILayout.documentVersion, &reader)
                hasVersion = true
            case "url": url = try readURL(&reader)
            case "title": title = try JSONObject.readOptionalString(&reader)
            case "format":
                let name = try reader.readString()
                format = Feed.Format(rawValue: name)
                if format == nil {
                    throw reader.mismatch("unknown format \(JSONWriter.quote(name, limit: 40))", at: start)
                }
            case "saved_at":
                savedAt = Timestamp(rfc3339: try reader.readString())
                if savedAt == nil {
                    throw reader.mismatch("not a time such as 2026-03-29T01:59:59.000001Z", at: start)
                }
            default:
                // They were cut out.
                try reader.enterArray()
                if try reader.nextElement() { throw reader.mismatch("written in an unusual way", at: start) }
                hasImages = true
            }
        }
        _ = try JSONObject.require(hasVersion, "version", of: top, reader)
        _ = try JSONObject.require(hasImages, "images", of: top, reader)
        return FeedHead(
            url: try JSONObject.require(url, "url", of: top, reader), title: title,
            format: try JSONObject.require(format, "format", of: top, reader),
            savedAt: try JSONObject.require(savedAt, "saved_at", of: top, reader))
    }

    /// A URL isn't quoted when it is wrong: there may be a password in it.
    private static func readURL(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let given = try reader.readString()
        do throws(InvalidURL) {
            let url = try ResourceURL(given)
            // One that would be written in another way names the same twice.
            guard url.credentials == nil else { throw InvalidURL("has a user name or password in it") }
            guard url.text.utf8.elementsEqual(given.utf8) else { throw InvalidURL("is not in its usual form") }
            return url
        } catch {
            throw reader.mismatch(error.reason, at: start)
        }
    }

    /// Visits the images of the feed at this URL in order, of which the next are read on another thread meanwhile.
    func forEachImage(
        of feed: ResourceURL, _ visit: (FeedImage, ImageData?) throws(FeedError) -> Void
    ) throws(FeedError) {
        let queue = DispatchQueue(label: "feedsync.documents")
        var ahead: [Job<ReadImages>] = []
        var count = 0
        func visitNext() throws(FeedError) {
            let read = try ahead.removeFirst().outcome()
            for (image, data) in read.images { try visit(image, data) }
            if let fault = read.fault {
                throw .invalidData("\(name)\(count == 0 ? "" : ", counted from image \(count)"): \(fault)")
            }
            count += read.images.count
        }
        var splitter = DocumentSplitter()
        try source { chunk throws(FeedError) in
            try splitter.take(chunk) { group throws(FeedError) in
                let reading = Job { Self.readImages(group, of: feed) }
                queue.async { reading.perform() }
                ahead.append(reading)
                if ahead.count > Self.groupsAhead { try visitNext() }
            }
        }
        while !ahead.isEmpty { try visitNext() }
    }

    /// Images, and what is wrong with the one behind them.
    private struct ReadImages {
        var images: [(FeedImage, ImageData?)] = []
        var fault: JSONError?
    }

    private static func readImages(_ group: [UInt8], of feed: ResourceURL) -> ReadImages {
        var read = ReadImages()
        // As they stand in the document, so that messages name them as it does.
        let text = Array("{\"images\":[".utf8) + group + Array("]}".utf8)
        do throws(JSONError) {
            try OCILayout.parse(text) { reader throws(JSONError) in
                try JSONObject.read(&reader, ["images"]) { _, reader throws(JSONError) in
                    try reader.enterArray()
                    while try reader.nextElement() { read.images.append(try readImage(&reader, of: feed)) }
                }
            }
        } catch {
            read.fault = error
        }
        return read
    }

    private static let imageMembers: [StaticString] = [
        "id", "description", "location", "url", "digest", "etag", "last_modified",
    ]

    private static func readImage(
        _ reader: inout JSONReader, of feed: ResourceURL
    ) throws(JSONError) -> (FeedImage, ImageData?) {
        let top = reader.position
        var id: String?
        var description: String?
        var location: String?
        var url: ResourceURL?
        var digest: Digest?
        var etag: String?
        var lastModified: String?
        try JSONObject.read(&reader, imageMembers) { name, reader throws(JSONError) in
            switch name {
            case "id": id = try reader.readString()
            case "description": description = try JSONObject.readOptionalString(&reader)
            case "location": location = try JSONObject.readOptionalString(&reader)
            case "url": url = try readImageURL(&reader, of: feed)
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
        guard let value = try JSONObject.readOptionalString(&reader) else { return nil }
        guard value.isHeaderText else {
            throw reader.mismatch("has a control character in it", at: start)
        }
        return value
    }
}
