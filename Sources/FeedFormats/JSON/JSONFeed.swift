internal import FeedCore
internal import JSONText

/// Decodes JSON Feed 1.0 and 1.1.
struct JSONFeed {
    private let html = HTMLReader()
    private let mostRenditions: Int
    private var collector: ImageCollector
    private var details = ItemDetails()
    private var title: String?
    private var language: String?
    private var nextPage: String?

    /// What a document without the version line of JSON Feed may show.
    private struct Signs {
        var isDeclared = false
        var hasVersionNumber = false
        /// Whether an item has a text or a link, which items of the Essential format lack.
        var hasPost = false
        var hasEssentialItem = false
    }

    /// Returns whether a document that has items is a JSON Feed.
    ///
    /// Its version line may come after all items. Without a version, an item with an image and a UUID belongs to the
    /// Essential format.
    static func isJSONFeed(_ body: [UInt8]) throws(JSONError) -> Bool {
        var signs = Signs()
        do throws(JSONError) {
            var reader = JSONReader(body)
            try reader.enterObject()
            while let name = try reader.nextMember() {
                switch name {
                case "version":
                    let version = try readVersion(&reader)
                    if version.isLine { return true }
                    signs.hasVersionNumber = version.isNumber
                case "items" where try reader.peek() == .array:
                    try reader.enterArray()
                    while try reader.nextElement() { try examineItem(&reader, &signs) }
                default: try reader.skipValue()
                }
            }
        } catch {
            // The reader of the format reports any other error.
            if error.kind == .cancelled { throw error }
        }
        return signs.hasVersionNumber || signs.hasPost && !signs.hasEssentialItem
    }

    /// Reads the version.
    ///
    /// The standard requires the line of a URL; some programs write `1` or `1.1`.
    static func readVersion(_ reader: inout JSONReader) throws(JSONError) -> (isLine: Bool, isNumber: Bool) {
        let version: String
        switch try reader.peek() {
        case .string: version = try reader.readString().lowercased()
        case .number: version = try reader.readNumberText()
        default:
            try reader.skipValue()
            return (false, false)
        }
        let isLine = ["https://jsonfeed.org/version/", "http://jsonfeed.org/version/"].contains {
            version.hasPrefix($0)
        }
        return (isLine, ["1", "1.0", "1.1"].contains(version))
    }

    private static func examineItem(_ reader: inout JSONReader, _ signs: inout Signs) throws(JSONError) {
        guard try reader.peek() == .object else { return try reader.skipValue() }
        var (hasUUID, hasImage) = (false, false)
        try reader.enterObject()
        while let name = try reader.nextMember() {
            let isText = try reader.peek() == .string
            switch name {
            case "id" where isText: hasUUID = isUUID(try reader.readString())
            case "image":
                hasImage = isText
                try reader.skipValue()
            case "content_html", "content_text", "url":
                if isText { signs.hasPost = true }
                try reader.skipValue()
            default: try reader.skipValue()
            }
        }
        if hasUUID, hasImage { signs.hasEssentialItem = true }
    }

    /// Returns whether the text consists of hex digits in groups of 8, 4, 4, 4 and 12.
    static func isUUID(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        guard bytes.count == 36 else { return false }
        for index in 0..<36 {
            let byte = bytes[index]
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default:
                guard (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) else { return false }
            }
        }
        return true
    }

    static func decode(
        _ document: FeedSource, taking selection: ImageSelection
    ) throws(FeedError) -> DecodedFeed {
        var feed = JSONFeed(document, taking: selection)
        do throws(JSONError) {
            var reader = JSONReader(document.bytes)
            try feed.read(&reader)
            try reader.finish()
        } catch {
            throw error.error(host: document.url.hostAndPort)
        }
        do throws(DecodingFailure) { return try feed.decoded() } catch {
            throw error.error(host: document.url.hostAndPort)
        }
    }

    private init(_ document: FeedSource, taking selection: ImageSelection) {
        mostRenditions = FeedItem.mostRenditions(in: document)
        collector = ImageCollector(in: document, taking: selection) { [html] in $0.beginning($1, with: html) }
    }

    private mutating func decoded() throws(DecodingFailure) -> DecodedFeed {
        let (images, itemStarts) = try collector.finish()
        return DecodedFeed(
            feed: Feed(format: .jsonFeed, title: title, language: language, images: images), itemStarts: itemStarts,
            notes: collector.notes.all, nextPage: collector.page(nextPage, from: nil),
            itemHashes: collector.itemHashes)
    }

    // MARK: Reading

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        let top = reader.position
        var hasItems = false
        try reader.enterObject()
        while let name = try reader.nextMember() {
            switch name {
            case "title": title = try words(&reader)?.shortened(to: LongestText.words) ?? title
            case "language": language = try text(&reader)
            case "next_url": nextPage = try text(&reader)
            case "authors", "author": details.add(author: try readAuthors(&reader), rank: name == "authors" ? 0 : 1)
            case "home_page_url": try setBase(try text(&reader), &reader)
            case "items":
                if hasItems { throw reader.mismatch("given twice", at: reader.position) }
                hasItems = true
                try reader.enterArray()
                while try reader.nextElement() { try addItem(&reader) }
            default: try reader.skipValue()
            }
        }
        guard hasItems else { throw reader.mismatch("missing", at: top, member: "items") }
    }

    private mutating func setBase(_ link: String?, _ reader: inout JSONReader) throws(JSONError) {
        guard let link else { return }
        do throws(DecodingFailure) { try collector.setBase(link) } catch {
            throw reader.error(error, at: reader.position)
        }
    }

    /// Adds an item.
    ///
    /// An element that is not an object is skipped, and the other items stay valid.
    private mutating func addItem(_ reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        guard try reader.peek() == .object else {
            try reader.skipValue()
            return collector.skipItem(because: "not an object")
        }
        var item = try readItem(&reader)
        item.details = item.details.completed(by: details)
        do throws(DecodingFailure) {
            guard item.images.count <= mostRenditions else { throw .tooMany(mostRenditions) }
            try collector.add(item)
        } catch {
            throw reader.error(error, at: start)
        }
    }

    private func readItem(_ reader: inout JSONReader) throws(JSONError) -> FeedItem {
        var item = FeedItem()
        var image: NamedImage?
        var banner: NamedImage?
        var attachments: [NamedImage] = []
        var content: [NamedImage] = []
        // The candidates in order of preference.
        var texts: [ItemText?] = [nil, nil, nil]
        var dates: [Timestamp?] = [nil, nil]
        try reader.enterObject()
        while let name = try reader.nextMember() {
            switch name {
            case "id": item.id = try id(&reader)
            case "title": item.title = try words(&reader)
            case "image": image = NamedImage(try text(&reader))
            case "banner_image": banner = NamedImage(try text(&reader))
            case "attachments": attachments = try readAttachments(&reader, &item.others)
            case "content_html":
                guard let markup = try text(&reader) else { continue }
                (content, texts[0], item.skipReason) = HTMLImages.find(
                    in: markup, base: nil, atMost: mostRenditions + 1, with: html)
            case "content_text": texts[1] = try text(&reader).map { ItemText(text: $0, isPlain: true) }
            case "summary": texts[2] = try text(&reader).map { ItemText(text: $0, isPlain: true) }
            case "authors", "author":
                item.details.add(author: try readAuthors(&reader), rank: name == "authors" ? 0 : 1)
            case "tags": try readTags(&reader, into: &item.details)
            case "url": item.link = try text(&reader).map { ($0, nil) }
            case "date_published": dates[0] = try text(&reader).flatMap(FeedDate.read)
            case "date_modified": dates[1] = try text(&reader).flatMap(FeedDate.read)
            default: try reader.skipValue()
            }
        }
        item.images = [image, banner].compactMap { $0 } + attachments + content
        item.text = texts.lazy.compactMap { $0 }.first
        item.published = dates[0] ?? dates[1]
        return item
    }

    /// Returns the names of one author, or of several in an array.
    private func readAuthors(_ reader: inout JSONReader) throws(JSONError) -> String? {
        var names: [String] = []
        func readAuthor(_ reader: inout JSONReader) throws(JSONError) {
            guard try reader.peek() == .object else { return try reader.skipValue() }
            try reader.enterObject()
            while let name = try reader.nextMember() {
                guard name == "name", let author = try words(&reader) else {
                    if name != "name" { try reader.skipValue() }
                    continue
                }
                if names.count < Self.mostAuthors { names.append(author) }
            }
        }
        guard try reader.peek() == .array else {
            try readAuthor(&reader)
            return names.first
        }
        try reader.enterArray()
        while try reader.nextElement() { try readAuthor(&reader) }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static let mostAuthors = 8

    private func readTags(_ reader: inout JSONReader, into details: inout ItemDetails) throws(JSONError) {
        guard try reader.peek() == .array else { return try reader.skipValue() }
        try reader.enterArray()
        while try reader.nextElement() { details.add(tag: try text(&reader)) }
    }

    private func readAttachments(
        _ reader: inout JSONReader, _ others: inout OtherMedia
    ) throws(JSONError) -> [NamedImage] {
        guard try reader.peek() == .array else {
            try reader.skipValue()
            return []
        }
        let start = reader.position
        var attachments: [NamedImage] = []
        try reader.enterArray()
        while try reader.nextElement() {
            guard try reader.peek() == .object else {
                try reader.skipValue()
                continue
            }
            if let attachment = try readAttachment(&reader, &others) { attachments.append(attachment) }
            guard attachments.count <= mostRenditions else { throw reader.error(.tooMany(mostRenditions), at: start) }
        }
        return attachments
    }

    private func readAttachment(
        _ reader: inout JSONReader, _ others: inout OtherMedia
    ) throws(JSONError) -> NamedImage? {
        var url: String?
        var type: String?
        var title: String?
        try reader.enterObject()
        while let name = try reader.nextMember() {
            switch name {
            case "url": url = try text(&reader)
            case "mime_type": type = try text(&reader)
            case "title": title = try words(&reader)
            default: try reader.skipValue()
            }
        }
        guard let url, ImageKind.isImage(type: type, reference: url) else {
            others.add(url, type: type)
            return nil
        }
        return NamedImage(url, description: title)
    }

    /// Returns nil for any other value: programs write nulls and numbers instead of texts.
    private func text(_ reader: inout JSONReader) throws(JSONError) -> String? {
        guard try reader.peek() == .string else {
            try reader.skipValue()
            return nil
        }
        let text = try reader.readString()
        return text.isEmpty ? nil : text
    }

    /// Returns the words of a title, which the standard defines as plain text: HTML in it is shown literally.
    private func words(_ reader: inout JSONReader) throws(JSONError) -> String? {
        try text(&reader).flatMap(FoldedText.fold)
    }

    /// Returns the id.
    ///
    /// A number keeps its spelling, as the standard requires.
    private func id(_ reader: inout JSONReader) throws(JSONError) -> String? {
        guard try reader.peek() == .number else { return try text(&reader).flatMap(FoldedText.fold) }
        return try reader.readNumberText()
    }
}
