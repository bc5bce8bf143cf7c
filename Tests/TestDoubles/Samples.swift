package import FeedCore
import TestSupport

extension Samples {
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
