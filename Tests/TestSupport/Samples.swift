/// Small values that many tests need.
package enum Samples {
    package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4]

    /// Returns the first bytes of a PNG followed by `text`: different texts make different images.
    package static func png(_ text: String) -> [UInt8] { png + Array(text.utf8) }
}
