extension Feed {
    /// Those that a later version of this feed has no longer: an item is the same by its id.
    package func images(goneFrom later: Feed, lastSeen moment: Timestamp) -> [FeedImage] {
        var known = Set(later.images.lazy.map { ExactText($0.id) })
        return images.compactMap { known.insert(ExactText($0.id)).inserted ? $0.leaving(moment) : nil }
    }

    /// Those that are not among its own.
    func withoutNamed(_ kept: [FeedImage]) -> [FeedImage] {
        guard !kept.isEmpty else { return [] }
        let named = Set(images.lazy.map { ExactText($0.id) })
        return kept.filter { !named.contains(ExactText($0.id)) }
    }
}
