internal import FeedCore
internal import JSONText

/// A feed as an archive has it.
struct FeedDocument {
    /// The data of an image, as the document describes it.
    struct ImageData {
        /// The image URL that the data belongs to.
        let url: ResourceURL
        let digest: Digest
        let validators: Validators
        let fetchedAt: Timestamp?
    }

    /// Without the images, which are looked at when they are visited.
    let head: FeedHead
    private let name: String
    private let bytes: () throws(FeedError) -> [UInt8]

    /// `name` is what messages call it. The bytes are read once for the head, and once each time the images are visited:
    /// of many documents one alone is in memory.
    init(name: String, _ bytes: @escaping () throws(FeedError) -> [UInt8]) throws(FeedError) {
        self.name = "\(name) (a feed document)"
        self.bytes = bytes
        let text = try bytes()
        head = try OCILayout.read(text, of: self.name) { reader throws(JSONError) in try Self.readHead(&reader) }
    }

    /// Visits the images in order.
    func forEachImage(_ visit: (FeedImage, ImageData?) throws(FeedError) -> Void) throws(FeedError) {
        var images = Images(of: head, in: try bytes(), name: name)
        try images.begin()
        while let (image, data) = try images.next() { try visit(image, data) }
    }

    /// The list of images in a document whose head was read: there is one such list.
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

        mutating func next() throws(FeedError) -> (FeedImage, ImageData?)? {
            do throws(JSONError) {
                return try reader.nextElement() ? try FeedDocument.readImage(&reader, of: head) : nil
            } catch {
                throw .invalidData("\(name): \(error)")
            }
        }
    }
}

/// How long the texts of a feed may be. No sync keeps longer ones, and so no export has them; to show them or to hold
/// them in memory is to nobody's good.
extension FeedDocument {
    /// For titles, and for descriptions and locations where the format has them shortened.
    static let longestText = LongestText.words
    /// An item's own is kept shorter. What stands in for one is the image's URL, of which a file's is the longest.
    static let longestID = 16_384
    /// All headers of an answer together.
    static let longestHeaders = 300 << 10

    static func readText(_ reader: inout JSONReader, longest: Int) throws(JSONError) -> String? {
        let start = reader.position
        guard let text = try JSONObject.readOptionalString(&reader) else { return nil }
        guard text.utf8.count <= longest else { throw reader.mismatch("longer than \(longest) bytes", at: start) }
        return text
    }
}
