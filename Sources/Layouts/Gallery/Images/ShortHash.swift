internal import FeedCore
internal import Hashing

/// The first digits of a text's SHA-256 in hex: enough to tell apart what a gallery has.
enum ShortHash {
    static func of(_ text: String, digits: Int) throws(FeedError) -> String {
        try String(SHA256.digest(of: text).hex.prefix(digits))
    }
}
