/// The images that the user removed from one feed, so that the feed contains them no longer, whatever its server says.
package struct RemovedImages: Hashable, Sendable {
    /// One removed image: its id, and all its URLs without credentials.
    package struct Removal: Hashable, Sendable {
        package let id: String
        /// The distinct URLs in the order of their bytes, so that equal removals are equal everywhere.
        package let urls: [ResourceURL]

        package init(id: String, urls: [ResourceURL]) {
            self.id = id
            var seen: Set<ResourceURL.Key> = []
            let distinct = urls.map(\.withoutCredentials).filter { seen.insert($0.key).inserted }
            self.urls = distinct.sorted { Self.isBefore($0.text, $1.text) }
        }

        package init(_ image: FeedImage) { self.init(id: image.id, urls: [image.url] + image.alternatives) }

        package static func == (left: Removal, right: Removal) -> Bool {
            ExactText(left.id) == ExactText(right.id) && left.urls == right.urls
        }

        package func hash(into hasher: inout Hasher) {
            ExactText(id).hash(into: &hasher)
            urls.hash(into: &hasher)
        }

        fileprivate static func precedes(_ left: Removal, _ right: Removal) -> Bool {
            if ExactText(left.id) != ExactText(right.id) { return isBefore(left.id, right.id) }
            return left.urls.lexicographicallyPrecedes(right.urls) { isBefore($0.text, $1.text) }
        }

        private static func isBefore(_ left: String, _ right: String) -> Bool {
            left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// An id with a URL up to its query, which may be a signature that the server makes anew each time.
    private struct Place: Hashable {
        let id: ExactText
        let path: ExactText

        init(_ id: String, _ url: String) {
            self.id = ExactText(id)
            let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            path = ExactText(end.map { String(url[..<$0]) } ?? url)
        }
    }

    /// The most images that can be removed from one feed, which is the number of images that a feed can have.
    package static let most = FeedSizeLimit.standard.images
    /// The most URLs of a removed image.
    package static let mostURLs = FeedImage.mostAlternatives + 1

    private var known: Set<Removal> = []
    private var urls: Set<ResourceURL.Key> = []
    private var places: Set<Place> = []

    package init(_ entries: some Sequence<Removal> = []) { add(entries) }

    package var isEmpty: Bool { known.isEmpty }
    package var count: Int { known.count }

    /// The removed images in an order that depends only on their ids and URLs.
    package var entries: [Removal] { known.sorted(by: Removal.precedes) }

    package mutating func add(_ entries: some Sequence<Removal>) {
        for entry in entries where known.insert(entry).inserted {
            for url in entry.urls {
                urls.insert(url.key)
                places.insert(Place(entry.id, url.text))
            }
        }
    }

    package func union(_ other: RemovedImages) -> RemovedImages {
        if other.isEmpty { return self }
        var union = self
        union.add(other.known)
        return union
    }

    /// Whether the image is one of the removed ones: it shares a URL with one, or it has the id of one and a URL that
    /// differs only in the query.
    package func covers(_ image: FeedImage) -> Bool {
        covers(id: image.id, urls: CollectionOfOne(image.url.text))
            || covers(id: image.id, urls: image.alternatives.lazy.map(\.text))
    }

    package func covers(id: String, urls: some Sequence<String>) -> Bool {
        if isEmpty { return false }
        return urls.contains { self.urls.contains(ResourceURL.Key($0)) || places.contains(Place(id, $0)) }
    }

    /// Returns the removals without the whole image that has this URL; nil if no removed image has the URL.
    ///
    /// An image can have several entries, because its URLs can change: entries that share a URL, or an id and a URL up to
    /// the query, are one image.
    package func restoring(_ url: ResourceURL) -> RemovedImages? {
        guard urls.contains(url.key) else { return nil }
        let entries = Array(known)
        var byURL: [ResourceURL.Key: [Int]] = [:]
        var byPlace: [Place: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            for url in entry.urls {
                byURL[url.key, default: []].append(index)
                byPlace[Place(entry.id, url.text), default: []].append(index)
            }
        }
        var restored: Set<Int> = []
        var next = byURL.removeValue(forKey: url.key) ?? []
        while let index = next.popLast() {
            guard restored.insert(index).inserted else { continue }
            for url in entries[index].urls {
                next += byURL.removeValue(forKey: url.key) ?? []
                next += byPlace.removeValue(forKey: Place(entries[index].id, url.text)) ?? []
            }
        }
        return RemovedImages(entries.indices.lazy.filter { !restored.contains($0) }.map { entries[$0] })
    }
}

extension Feed {
    /// Returns the feed without the removed images.
    func without(_ removed: RemovedImages) -> Feed {
        if removed.isEmpty { return self }
        return with(images.filter { !removed.covers($0) })
    }
}
