package import FeedCore

/// Small things that many tests need.
package enum Samples {
    package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4]

    /// A PNG's first bytes, then `text`: different texts are different images.
    package static func png(_ text: String) -> [UInt8] { png + Array(text.utf8) }

    package static func url(_ text: String) throws -> ResourceURL { try ResourceURL(text) }

    package static func image(_ number: Int, host: String = "images.example") throws -> FeedImage {
        FeedImage(
            id: "id-\(number)", description: "description \(number)", location: nil,
            url: try ResourceURL("https://\(host)/\(number).png"))
    }

    package static func feed(_ count: Int = 2) throws -> Feed {
        Feed(format: .essential, images: try (0..<count).map { try image($0) })
    }
}
