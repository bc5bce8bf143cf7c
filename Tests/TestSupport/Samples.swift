/// Small things that many tests need.
package enum Samples {
    package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4]

    /// A PNG's first bytes, then `text`: different texts are different images.
    package static func png(_ text: String) -> [UInt8] { png + Array(text.utf8) }
}
