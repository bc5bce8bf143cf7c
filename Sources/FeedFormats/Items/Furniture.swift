internal import FeedCore

/// The images that a site puts beside many of its posts: banners, logos and buttons.
///
/// An image is furniture if it is an `<img>` in at least 3 items and in at least a quarter of all items. It is left out
/// where it is beside another image.
struct Furniture {
    /// An item with images.
    struct Item {
        /// The index of its first image.
        let start: Int
        /// The position of the item in its feed, from 1.
        let number: Int
        let hasID: Bool
    }

    private let images: [FeedImage]
    private let areTags: [Bool]
    private let items: [Item]
    private let recurring: Set<ResourceURL>

    /// Examines the images of a feed with `itemCount` items, some of which have images.
    init(of images: [FeedImage], areTags: [Bool], in items: [Item], itemCount: Int) {
        (self.images, self.areTags, self.items) = (images, areTags, items)
        let least = max(3, (itemCount + 3) / 4)
        // Only an image beside another one can be furniture.
        guard items.count >= least, images.count > items.count else {
            recurring = []
            return
        }
        var counts: [ResourceURL: Int] = [:]
        for (image, isTag) in zip(images, areTags) where isTag { counts[image.url, default: 0] += 1 }
        StepCounter.add(images.count)
        recurring = Set(counts.lazy.filter { $0.value >= least }.map(\.key))
    }

    /// Returns the images that are left and the index of the first image of each item.
    ///
    /// `note` receives each image that is left out, with the number and the id of its item.
    func removed(_ note: (FeedImage, Int, String?) -> Void) -> (images: [FeedImage], itemStarts: [Int]) {
        // If every image recurs, the images are the subject of the feed, such as the views of several cameras.
        guard !recurring.isEmpty, images.indices.contains(where: { !isFurniture($0) }) else {
            return (images, items.map(\.start))
        }
        var kept: [FeedImage] = []
        kept.reserveCapacity(images.count)
        var starts: [Int] = []
        for (index, item) in items.enumerated() {
            let end = index + 1 < items.count ? items[index + 1].start : images.count
            let range = item.start..<end
            StepCounter.add(range.count)
            let rest = range.count > 1 ? range.filter { !isFurniture($0) } : Array(range)
            if !rest.isEmpty { starts.append(kept.count) }
            guard rest.count < range.count else {
                kept += images[range]
                continue
            }
            let id = images[item.start].id
            for image in range where isFurniture(image) { note(images[image], item.number, item.hasID ? id : nil) }
            for (position, image) in rest.enumerated() {
                kept.append(
                    item.hasID ? images[image].named(FeedImage.id(position, of: id)) : images[image])
            }
        }
        return (kept, starts)
    }

    private func isFurniture(_ image: Int) -> Bool { areTags[image] && recurring.contains(images[image].url) }
}

extension FeedImage {
    fileprivate func named(_ id: String) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, url: url, post: post, alternatives: alternatives,
            target: target)
    }
}
