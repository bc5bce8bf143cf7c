extension Feed {
    /// Where images with the same ids were, of which the URLs differ in the query alone: it may be a signature that is made
    /// anew each time.
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
