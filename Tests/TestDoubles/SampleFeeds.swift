package import FeedCore

extension ResourceURL {
    package static let first = known("https://feeds.example/first")
    package static let second = known("https://feeds.example/second")

    /// Returns a valid URL from a literal in a test.
    package static func known(_ text: String) -> ResourceURL {
        do { return try ResourceURL(text) } catch { preconditionFailure("\(text): \(error.reason)") }
    }

    package static func image(_ number: Int) -> ResourceURL { known("https://images.example/\(number).png") }
}

extension FeedImage {
    /// Returns an image with all possible members; two of these images belong to one post.
    package static func full(_ number: Int) -> FeedImage {
        let post = number / 2
        return FeedImage(
            id: "full-\(number)", description: "Number \(number)", location: "Here", url: .image(number),
            post: FeedPost(
                title: "Post \(post)", link: .known("https://blog.example/\(post)"),
                published: Timestamp(microseconds: 1_795_000_000_000_001 + Int64(post)), author: "Ann \u{E9}",
                rights: "CC BY", tags: ["tag \(post)", "fog, thick"], text: "Two\nlines \u{1F30A}"),
            alternatives: (1...1 + number % 3).map { .known("https://images.example/\(number).png?w=\($0)00&h=\u{E9}") }
        )
    }
}

extension SavedFeed {
    /// Returns a feed with images at `ResourceURL.image(0)` and the following URLs.
    package static func sample(
        _ url: ResourceURL = .first, images count: Int = 2, savedAt microseconds: Int64 = 1_000_000,
        movedTo: ResourceURL? = nil
    ) -> SavedFeed {
        let images = (0..<count).map { number in
            FeedImage(
                id: "image-\(number)", description: number % 2 == 0 ? "Number \(number)" : nil,
                location: number % 3 == 0 ? "Here" : nil, url: .image(number))
        }
        return SavedFeed(
            url: url, feed: Feed(format: .essential, title: "Sample", images: images),
            savedAt: Timestamp(microseconds: microseconds), validators: Validators(etag: "\"1\"", lastModified: "then"),
            pages: 2, movedTo: movedTo, rules: "as they are")
    }
}
