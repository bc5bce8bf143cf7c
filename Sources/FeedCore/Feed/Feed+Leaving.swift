extension Feed {
    /// Those that a later version of this feed has no longer: an item is the same by its id.
    package func images(goneFrom later: Feed, lastSeen moment: Timestamp) -> [FeedImage] {
        let known = Set(later.images.lazy.map { ExactText($0.id) })
        let places = Set(later.images.lazy.map(\.url.key))
        return images.compactMap { image in
            if known.contains(ExactText(image.id)) { return nil }
            // A further image of an item that has fewer now, and has this one still.
            let item = image.id.utf8.lastIndex(of: UInt8(ascii: "#")).map { String(image.id[..<$0]) }
            if let item, known.contains(ExactText(item)), places.contains(image.url.key) { return nil }
            return image.leaving(moment)
        }
    }

    /// Those that are not among its own.
    func withoutNamed(_ kept: [FeedImage]) -> [FeedImage] {
        guard !kept.isEmpty else { return [] }
        let named = Set(images.lazy.map { ExactText($0.id) })
        return kept.filter { !named.contains(ExactText($0.id)) }
    }
}
