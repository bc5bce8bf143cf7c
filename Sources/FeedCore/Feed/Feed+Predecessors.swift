extension Feed {
    /// Returns the earlier URLs of images whose URLs differ only in the query. The query can be a signature that the
    /// server makes anew each time.
    func predecessors(in earlier: [FeedImage]) -> [ResourceURL.Key: ResourceURL] {
        var places: [ExactText: ResourceURL] = [:]
        for image in earlier where image.url.hasQuery { places[ExactText(image.id)] = image.url }
        guard !places.isEmpty else { return [:] }
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
        for image in images where image.url.hasQuery {
            guard let old = places[ExactText(image.id)], old.key != image.url.key,
                old.withoutQuery == image.url.withoutQuery
            else { continue }
            predecessors[image.url.key] = old
        }
        return predecessors
    }
}
