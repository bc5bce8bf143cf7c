internal import FeedCore

/// Collects the `media:` elements of one item.
///
/// They nest: a group may hold contents. A title, description or location applies to all images in its parent that have
/// none of their own.
struct MediaRSS {
    fileprivate struct MediaImage {
        var named: NamedImage
        /// The title inside the image's own element.
        var title: String?
        let area: Double
        let bytes: Double
        let isDefault: Bool
    }

    fileprivate struct MediaScope {
        enum Kind { case item, group, content }

        let kind: Kind
        /// The `media:content` of this scope, if it is an image.
        var image: MediaImage?
        var images: [MediaImage] = []
        var thumbnails: [MediaImage] = []
        var title: String?
        var caption: String?
        var location = ItemLocation()
    }

    /// The values besides `image` that the standard defines.
    ///
    /// Other values, such as `photo`, are ignored.
    private static let otherMedia: Set = ["audio", "video", "document", "executable"]
    /// The largest side of an image.
    ///
    /// A larger number is ignored.
    private static let longestSide = 1_000_000.0
    /// The deepest nesting of groups and contents that is read.
    ///
    /// Each level visits all images in it.
    private static let mostScopes = 16

    private var scopes = [MediaScope(kind: .item)]
    /// The number of open location elements.
    private var locationDepth = 0
    private var textIsPlain = true
    /// The number of images and thumbnails, with all renditions.
    private(set) var count = 0

    // MARK: Reading

    mutating func begin(_ element: XMLElement) -> XMLInterest? {
        if let interest = scopes[scopes.count - 1].location.interest(in: element.name) {
            if interest == .children { locationDepth += 1 }
            return interest
        }
        guard element.name.vocabulary == .media, locationDepth == 0 else { return nil }
        switch element.name.local {
        case "group" where scopes.count == Self.mostScopes, "content" where scopes.count == Self.mostScopes:
            return .nothing
        case "group":
            scopes.append(MediaScope(kind: .group))
            return .children
        case "content":
            scopes.append(MediaScope(kind: .content))
            if Self.isImage(element) {
                scopes[scopes.count - 1].image = Self.image(element)
                count += 1
            }
            return .children
        case "thumbnail":
            if var image = Self.image(element) {
                image.named.origin = .thumbnail
                scopes[scopes.count - 1].thumbnails.append(image)
                count += 1
            }
            return .nothing
        case "location":
            scopes[scopes.count - 1].location.propose(name: element.attribute("description"))
            locationDepth += 1
            return .children
        case "title", "description":
            // The standard defines a text without a type as plain, but many feeds put HTML there.
            textIsPlain = element.attribute("type")?.lowercased() == "plain"
            return .text
        default: return .nothing
        }
    }

    mutating func receive(_ text: String, of name: XMLName, with html: HTMLReader) {
        let last = scopes.count - 1
        func words() -> String? { PlainText.of(text, isPlain: textIsPlain, with: html) }
        switch (name.vocabulary, name.local) {
        case (.media, "title"): scopes[last].title = scopes[last].title ?? words()
        case (.media, "description"): scopes[last].caption = scopes[last].caption ?? words()
        default: scopes[last].location.receive(text, of: name)
        }
    }

    /// Ends a group, a content or a location.
    mutating func end() {
        guard locationDepth == 0 else {
            locationDepth -= 1
            return
        }
        guard scopes.count > 1, var scope = scopes.popLast() else { return }
        let parent = scopes.count - 1
        StepCounter.add(scope.images.count + scope.thumbnails.count)
        scope.handDown()
        scope.image?.title = scope.title
        if let image = scope.image { scopes[parent].images.append(image) }
        if scope.kind == .group {
            if let best = Self.best(of: scope.images) { scopes[parent].images.append(best) }
            if let best = Self.best(of: scope.thumbnails) { scopes[parent].thumbnails.append(best) }
        } else {
            scopes[parent].images += scope.images
            scopes[parent].thumbnails += scope.thumbnails
        }
    }

    // MARK: What was read

    var location: String? { scopes[0].location.text }

    /// Returns the images and the thumbnails in document order.
    ///
    /// An image that is titled with an author's name becomes decoration: blogs add their author's portrait.
    func images(by authors: Set<String>) -> (images: [NamedImage], thumbnails: [NamedImage]) {
        var item = scopes[0]
        item.handDown()
        let images = item.images.map { image in
            var named = image.named
            if let title = image.title, authors.contains(title.lowercased()) {
                named.decoration = DecorationRules.author
            }
            return named
        }
        return (images, item.thumbnails.map(\.named))
    }

    static func isImage(_ element: XMLElement) -> Bool {
        guard let reference = element.attribute("url") else { return false }
        let type = element.attribute("type")
        let medium = element.attribute("medium")?.lowercased()
        if let type = type?.lowercased(), type.hasPrefix("video/") || type.hasPrefix("audio/") { return false }
        // Some servers send `application/octet-stream` for an image.
        if medium == "image" { return true }
        if let isImage = ImageKind.isImage(type: type) { return isImage }
        if let medium, otherMedia.contains(medium) { return false }
        return ImageKind.hasImageName(reference) || type == nil && isLikeImage(element, reference)
    }

    /// Returns whether a reference of unknown type looks like an image: it has a size, has no duration, and its name is
    /// not that of a film.
    private static func isLikeImage(_ element: XMLElement, _ reference: String) -> Bool {
        guard let width = side("width", of: element), let height = side("height", of: element) else { return false }
        return width * height > 0 && element.attribute("duration") == nil && !ImageKind.hasFilmName(reference)
    }

    private static func image(_ element: XMLElement) -> MediaImage? {
        guard let reference = element.attribute("url") else { return nil }
        // An image with only one given side counts as a square.
        let (width, height) = (side("width", of: element), side("height", of: element))
        let rendition = NamedImage.Rendition(
            reference: reference, base: element.base, width: width ?? 0, height: height ?? 0)
        return MediaImage(
            named: NamedImage([rendition]), area: (width ?? height ?? 0) * (height ?? width ?? 0),
            bytes: element.attribute("fileSize").flatMap(Double.init) ?? 0,
            isDefault: element.attribute("isDefault") == "true")
    }

    /// Returns the side; nil for an element without the attribute.
    private static func side(_ name: StaticString, of element: XMLElement) -> Double? {
        guard let given = element.attribute(name) else { return nil }
        let length = FoldedText.fold(given).flatMap(Double.init) ?? 0
        return length > 0 && length <= longestSide ? length : 0
    }

    /// Returns the largest rendition, with the others after it in descending order.
    ///
    /// Among equals, the default one comes first, else the first.
    private static func best(of images: [MediaImage]) -> MediaImage? {
        // The sort is stable.
        let sorted = images.sorted {
            if $0.area != $1.area { return $0.area > $1.area }
            if $0.bytes != $1.bytes { return $0.bytes > $1.bytes }
            return $0.isDefault && !$1.isDefault
        }
        guard var best = sorted.first else { return nil }
        for other in sorted.dropFirst() {
            best.named.renditions += other.named.renditions
            best.named.description = best.named.description ?? other.named.description
            best.named.location = best.named.location ?? other.named.location
        }
        return best
    }
}

extension MediaRSS.MediaScope {
    /// Passes the title, else the description, and the location on to the images that have none of their own.
    fileprivate mutating func handDown() {
        let words = title ?? caption
        let location = kind == .item ? nil : location.text
        func complete(_ image: inout MediaRSS.MediaImage) {
            image.named.description = image.named.description ?? words
            image.named.location = image.named.location ?? location
        }
        if var own = image {
            complete(&own)
            image = own
        }
        for index in images.indices { complete(&images[index]) }
        for index in thumbnails.indices { complete(&thumbnails[index]) }
    }
}

/// The location of an item's images.
///
/// It reads GeoRSS, in its simple form or as a point in GML, and the W3C's latitude and longitude.
struct ItemLocation {
    private var name: String?
    private var coordinates: String?
    private var latitude: String?
    private var longitude: String?

    /// The name of the location, which is easier to read, else its coordinates.
    var text: String? {
        if let name { return name }
        if let coordinates { return coordinates }
        guard let latitude, let longitude else { return nil }
        return "\(latitude) \(longitude)"
    }

    /// Takes a name from another element, unless there is already one.
    mutating func propose(name given: String?) { name = name ?? given.flatMap(FoldedText.fold) }

    /// Returns how to read an element; nil for an element that is not part of a location.
    func interest(in name: XMLName) -> XMLInterest? {
        switch (name.vocabulary, name.local) {
        case (.georss, "point"), (.georss, "line"), (.georss, "polygon"), (.georss, "box"), (.georss, "circle"),
            (.georss, "featurename"), (.georss, "featureName"), (.gml, "pos"), (.geo, "lat"), (.geo, "long"),
            (.geo, "lon"):
            .text
        case (.georss, "where"), (.gml, "Point"), (.geo, "Point"), (.geo, "location"): .children
        default: nil
        }
    }

    mutating func receive(_ text: String, of element: XMLName) {
        guard let text = FoldedText.fold(text) else { return }
        switch element.local {
        case "featurename", "featureName": name = name ?? text
        case "lat": latitude = latitude ?? text
        case "long", "lon": longitude = longitude ?? text
        default: coordinates = coordinates ?? text
        }
    }
}
