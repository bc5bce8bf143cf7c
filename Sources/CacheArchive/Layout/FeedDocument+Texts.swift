internal import FeedCore
internal import JSONText

/// How long the texts of a feed may be. No sync keeps longer ones, and so no export has them; to show them or to hold
/// them in memory is to nobody's good.
extension FeedDocument {
    /// Of a title and, where the format's texts are shortened, of what an image is described by.
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
