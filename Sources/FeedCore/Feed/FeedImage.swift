/// One picture of a feed. Its bytes are behind `url` and live apart: two feed images can share them.
///
/// A feed may name a million of them. As strings of their own their texts would take four allocations each, and three
/// times the room; so they lie one behind the other in pages that images share.
package struct FeedImage: Sendable {
    private let page: [UInt8]
    private let offset: Int

    package init(id: String, description: String? = nil, location: String? = nil, url: ResourceURL) {
        var page: [UInt8] = []
        FeedImageRecord.append(id, description, location, url, to: &page)
        self.init(page: page, offset: 0)
    }

    fileprivate init(page: [UInt8], offset: Int) {
        self.page = page
        self.offset = offset
    }

    private var record: FeedImageRecord { FeedImageRecord(page, at: offset) }

    package var id: String { page.text(record.id) ?? "" }
    package var description: String? { page.text(record.description) }
    package var location: String? { page.text(record.location) }
    package var url: ResourceURL {
        let record = record
        return ResourceURL(checked: page.text(record.url) ?? "", credentials: page.text(record.credentials))
    }

    /// Its texts as they lie in memory, in UTF-8: nil where there is none.
    package struct Bytes {
        package let id, description, location, url, credentials: UnsafeBufferPointer<UInt8>?
    }

    /// They are there until `body` returns.
    package func withBytes<Outcome, Failure>(
        _ body: (Bytes) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let record = record
        return try page.withUnsafeBufferPointer { page throws(Failure) in
            func bytes(_ range: Range<Int>?) -> UnsafeBufferPointer<UInt8>? { range.map { page.extracting($0) } }
            return try body(
                Bytes(
                    id: bytes(record.id), description: bytes(record.description), location: bytes(record.location),
                    url: bytes(record.url), credentials: bytes(record.credentials)))
        }
    }
}

extension FeedImage: Hashable {
    package static func == (left: FeedImage, right: FeedImage) -> Bool {
        left.page[left.record.all].elementsEqual(right.page[right.record.all])
    }

    package func hash(into hasher: inout Hasher) {
        page.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[record.all])) }
    }
}

extension FeedImage: CustomReflectable {
    /// What a failing test shows, which is not how it is kept.
    package var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "description": description as Any, "location": location as Any, "url": url,
            ])
    }
}

/// Gathers the images of a feed, in order.
package struct FeedImages {
    private static let pageBytes = 64 << 10

    private var sealed: [FeedImage] = []
    private var page: [UInt8] = []
    /// Where the records in the page begin.
    private var offsets: [Int] = []

    package init() {}

    package var count: Int { sealed.count + offsets.count }

    package mutating func reserveCapacity(_ count: Int) { sealed.reserveCapacity(count) }

    package mutating func append(id: String, description: String?, location: String?, url: ResourceURL) {
        if page.isEmpty { page.reserveCapacity(Self.pageBytes) }
        offsets.append(page.count)
        FeedImageRecord.append(id, description, location, url, to: &page)
        // A record is rarely so long that it doesn't fit into what is left here.
        if page.count > Self.pageBytes - 1024 { seal() }
    }

    private mutating func seal() {
        for offset in offsets { sealed.append(FeedImage(page: page, offset: offset)) }
        page = []
        offsets.removeAll(keepingCapacity: true)
    }

    package consuming func finish() -> [FeedImage] {
        // The last page is cut to what it holds: a feed of few images needs few bytes.
        page = Array(page[...])
        seal()
        return sealed
    }
}

/// Where an image's texts lie in a page: the length of each, then each.
private struct FeedImageRecord {
    let all: Range<Int>
    let id: Range<Int>?
    let description: Range<Int>?
    let location: Range<Int>?
    let url: Range<Int>?
    let credentials: Range<Int>?

    init(_ page: [UInt8], at start: Int) {
        var position = start
        let lengths = (
            Self.length(page, &position), Self.length(page, &position), Self.length(page, &position),
            Self.length(page, &position), Self.length(page, &position)
        )
        id = Self.take(lengths.0, &position)
        description = Self.take(lengths.1, &position)
        location = Self.take(lengths.2, &position)
        url = Self.take(lengths.3, &position)
        credentials = Self.take(lengths.4, &position)
        all = start..<position
    }

    static func append(
        _ id: String, _ description: String?, _ location: String?, _ url: ResourceURL, to page: inout [UInt8]
    ) {
        appendLength(id, to: &page)
        appendLength(description, to: &page)
        appendLength(location, to: &page)
        appendLength(url.text, to: &page)
        appendLength(url.credentials, to: &page)
        page += id.utf8
        if let description { page += description.utf8 }
        if let location { page += location.utf8 }
        page += url.text.utf8
        if let credentials = url.credentials { page += credentials.utf8 }
    }

    /// One more than it is, as 0 says that there is no text; seven bits to a byte, the lowest first.
    private static func appendLength(_ text: String?, to page: inout [UInt8]) {
        var number = text.map { $0.utf8.count + 1 } ?? 0
        while number > 0x7F {
            page.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        page.append(UInt8(number))
    }

    private static func length(_ page: [UInt8], _ position: inout Int) -> Int? {
        var number = 0
        var shift = 0
        while true {
            let byte = page[position]
            position += 1
            number |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return number == 0 ? nil : number - 1 }
        }
    }

    private static func take(_ length: Int?, _ position: inout Int) -> Range<Int>? {
        guard let length else { return nil }
        defer { position += length }
        return position..<position + length
    }
}

extension [UInt8] {
    fileprivate func text(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: self[$0], as: UTF8.self) }
    }
}
