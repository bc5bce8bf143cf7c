internal import FeedCore
internal import JSONText

/// A feed in an archive.
struct FeedDocument {
    /// The data of an image, as the document describes it.
    struct DocumentedData {
        /// The image URL that the data belongs to.
        let url: ResourceURL
        let digest: Digest
        let validators: Validators
        let fetchedAt: Timestamp?
    }

    /// Everything but the images, which are read when they are visited.
    let head: FeedHead
    private let hasRemoved: Bool
    private let name: String
    private let bytes: () throws(FeedError) -> [UInt8]

    /// Reads the head of a document.
    ///
    /// `name` is its name in messages. `bytes` is called for the head and for each visit of the images, so that only
    /// one of many documents is in memory.
    init(name: String, _ bytes: @escaping () throws(FeedError) -> [UInt8]) throws(FeedError) {
        self.name = "\(name) (a feed document)"
        self.bytes = bytes
        let text = try bytes()
        (head, hasRemoved) = try OCILayout.read(text, of: self.name) { reader throws(JSONError) in
            try Self.readHead(&reader)
        }
    }

    /// Returns the moment in a document; nil for another text.
    static func savedAt(in bytes: [UInt8]) -> Timestamp? {
        var savedAt: Timestamp?
        do throws(JSONError) {
            var reader = OCILayout.reader(bytes)
            try JSONObject.read(&reader, ["saved_at"]) { _, reader throws(JSONError) in
                savedAt = try readTime(&reader)
            }
        } catch {
            // An import reads the document, too, and says what is wrong with it.
        }
        return savedAt
    }

    /// Visits the images in order.
    func forEachImage(_ visit: (FeedImage, DocumentedData?) throws(FeedError) -> Void) throws(FeedError) {
        var images = Images(of: head, in: try bytes(), name: name)
        try images.begin()
        while let (image, data) = try images.next() { try visit(image, data) }
    }

    /// Returns the images that were removed from the feed.
    ///
    /// Throws if they are more than `limit`.
    func removed(limit: Int) throws(FeedError) -> RemovedImages {
        guard hasRemoved else { return RemovedImages() }
        return try OCILayout.read(try bytes(), of: name) { reader throws(JSONError) in
            var entries: [RemovedImages.Removal] = []
            try JSONObject.read(&reader, ["removed"]) { _, reader throws(JSONError) in
                let start = reader.position
                try reader.enterArray()
                while try reader.nextElement() {
                    guard entries.count < limit else { throw reader.mismatch("more than \(limit)", at: start) }
                    entries.append(try Self.readRemoved(&reader, of: head.url))
                }
            }
            return RemovedImages(entries)
        }
    }

    /// The list of images in a document.
    ///
    /// Reading the head has ensured that the document has exactly one list.
    private struct Images: ~Copyable {
        private let head: FeedHead
        private let name: String
        private var reader: JSONReader

        init(of head: FeedHead, in bytes: [UInt8], name: String) {
            (self.head, self.name) = (head, name)
            reader = OCILayout.reader(bytes)
        }

        mutating func begin() throws(FeedError) {
            do throws(JSONError) {
                try reader.enterObject()
                while let member = try reader.nextMember(), member != "images" { try reader.skipValue() }
                try reader.enterArray()
            } catch {
                throw .invalidData("\(name): \(error)")
            }
        }

        mutating func next() throws(FeedError) -> (FeedImage, DocumentedData?)? {
            do throws(JSONError) {
                return try reader.nextElement() ? try FeedDocument.readImage(&reader, of: head) : nil
            } catch {
                throw .invalidData("\(name): \(error)")
            }
        }
    }
}

/// The maximum lengths of a feed's texts. A sync shortens longer texts, so that an export has none of them.
extension FeedDocument {
    /// The limit for titles, and for descriptions and locations in formats that shorten them.
    static let longestText = LongestText.words
    /// The limit for ids.
    ///
    /// An id of an item is shorter; an item without one has the image's URL as its id, and the URL of a file can be
    /// longer.
    static let longestID = 16_384
    /// The limit for URLs, which is at least that of a file.
    static let longestURL = longestID
    /// The limit for a header, which is the limit for all headers of a response.
    static let longestHeaders = 300 << 10

    static func readText(_ reader: inout JSONReader, longest: Int) throws(JSONError) -> String? {
        try JSONObject.readOptionalString(&reader, longest: longest)
    }
}

extension FeedDocument {
    /// Reads everything but the lists of images, and returns whether images were removed.
    static func readHead(_ reader: inout JSONReader) throws(JSONError) -> (FeedHead, hasRemoved: Bool) {
        let top = reader.position
        var hasVersion: Bool?
        var hasImages: Bool?
        var url: ResourceURL?
        var title: String?
        var language: String?
        var format: Feed.Format?
        var savedAt: Timestamp?
        var state = FeedState()
        var hasRemoved = false
        let names: [StaticString] = ["version", "url", "title", "language", "format", "saved_at", "removed", "images"]
        try JSONObject.read(&reader, names + FeedState.names) { name, reader throws(JSONError) in
            switch name {
            case "version":
                try JSONObject.expect(OCILayout.documentVersion, &reader)
                hasVersion = true
            case "url": url = try readFeedURL(&reader)
            case "title": title = try readText(&reader, longest: longestText)
            case "language": language = try readText(&reader, longest: longestText)
            // A format that only a later version knows is preserved.
            case "format": format = Feed.Format(rawValue: try reader.readString(longest: longestText))
            case "saved_at": savedAt = try readTime(&reader)
            // The lists may be long, and are read when the feed is merged.
            case "removed": hasRemoved = try skipArray(&reader)
            case "images": hasImages = try skipArray(&reader)
            default: try state.read(name, &reader)
            }
        }
        _ = try JSONObject.require(hasVersion, "version", of: top, reader)
        _ = try JSONObject.require(hasImages, "images", of: top, reader)
        var head = FeedHead(
            url: try JSONObject.require(url, "url", of: top, reader), title: title, language: language,
            format: try JSONObject.require(format, "format", of: top, reader),
            savedAt: try JSONObject.require(savedAt, "saved_at", of: top, reader), keep: state.keep)
        (head.home, head.naming) = (state.home, state.naming)
        (head.settings, head.gaps, head.nextPage) = (state.settings, state.gaps, state.nextPage)
        return (head, hasRemoved)
    }

    /// What the cache remembers of a feed besides its copy.
    private struct FeedState {
        static let names: [StaticString] = ["home", "named", "keep", "settings", "gaps", "next_page"]

        var home: String?
        // Older versions write no name, and each of their feeds is named.
        var naming = FeedNaming.byCommand
        var keep: Keep?
        var settings: String?
        var gaps: String?
        var nextPage: ResourceURL?

        mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
            switch name {
            case "home": home = try FeedDocument.readText(&reader, longest: FeedDocument.longestURL)
            case "named":
                switch try FeedDocument.readText(&reader, longest: FeedDocument.longestText) {
                case "config": naming = .byConfig
                case nil: naming = .unnamed
                // A later version can have another word for a named feed.
                default: naming = .byCommand
                }
            // A value that only a later version understands is ignored.
            case "keep":
                keep = try FeedDocument.readText(&reader, longest: FeedDocument.longestText).flatMap(Keep.init)
            case "settings": settings = try FeedDocument.readJSON(&reader, .object)
            case "gaps": gaps = try FeedDocument.readJSON(&reader, .array)
            default:
                nextPage = try FeedDocument.readUnlessNull(&reader) { reader throws(JSONError) in
                    try FeedDocument.readLink(&reader)
                }
            }
        }
    }

    /// The limit for the settings or the gaps of a feed.
    private static let longestState = 64 << 10

    /// Reads an object or an array as JSON text; nil for null.
    private static func readJSON(_ reader: inout JSONReader, _ kind: JSONReader.Kind) throws(JSONError) -> String? {
        try readUnlessNull(&reader) { reader throws(JSONError) in
            let start = reader.position
            guard try reader.peek() == kind else { throw reader.mismatch("not an \(kind)", at: start) }
            let text = try reader.readValueText()
            guard text.utf8.count <= longestState else {
                throw reader.mismatch("longer than \(longestState) bytes", at: start)
            }
            return text
        }
    }

    /// Skips an array, and returns true.
    private static func skipArray(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        let start = reader.position
        guard try reader.peek() == .array else { throw reader.mismatch("not an array", at: start) }
        try reader.skipValue()
        return true
    }

    /// Reads the URL of a feed.
    ///
    /// The path of a file must be in its normalised form, because a command knows the file by that path.
    private static func readFeedURL(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let url = try readURL(&reader)
        if let path = url.filePath, FilePath.normalised(path) != path { throw reader.mismatch(notUsual, at: start) }
        // Older versions saved a web feed under several spellings of its URL.
        return url.asFeed
    }

    static func readTime(_ reader: inout JSONReader) throws(JSONError) -> Timestamp {
        let start = reader.position
        guard let time = Timestamp(rfc3339: try reader.readString(longest: longestText)) else {
            throw reader.mismatch("not a time such as 2026-03-29T01:59:59.000001Z", at: start)
        }
        return time
    }

    private static let notUsual = "is not in its usual form"

    /// Reads a URL.
    ///
    /// The error omits an invalid URL, because it may contain a password.
    static func readURL(_ reader: inout JSONReader) throws(JSONError) -> ResourceURL {
        let start = reader.position
        let given = try reader.readString(longest: longestURL)
        do throws(InvalidURL) {
            let url = try ResourceURL(given)
            // Another spelling would give the same URL a second name.
            guard url.credentials == nil else { throw InvalidURL("has a user name or password in it") }
            guard url.text.utf8.elementsEqual(given.utf8) else { throw InvalidURL(notUsual) }
            return url
        } catch {
            throw reader.mismatch(error.reason, at: start)
        }
    }
}
