extension Feed {
    /// Returns the images that a later version of this feed lacks. Items with the same id are the same item.
    package func images(goneFrom later: Feed, lastSeen moment: Timestamp) -> [FeedImage] {
        let known = Set(later.images.lazy.map { ExactText($0.id) })
        let places = Set(later.images.lazy.map(\.url.key))
        return images.compactMap { image in
            if known.contains(ExactText(image.id)) { return nil }
            // An item can have fewer images now and still have this one.
            let item = image.id.utf8.lastIndex(of: UInt8(ascii: "#")).map { String(image.id[..<$0]) }
            if let item, known.contains(ExactText(item)), places.contains(image.url.key) { return nil }
            return image.leaving(moment)
        }
    }

    /// Returns the kept images that are absent from this feed.
    func withoutNamed(_ kept: [FeedImage]) -> [FeedImage] {
        guard !kept.isEmpty else { return [] }
        let named = Set(images.lazy.map { ExactText($0.id) })
        return kept.filter { !named.contains(ExactText($0.id)) }
    }
}
