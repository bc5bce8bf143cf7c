internal import FeedCore

/// The `media:` elements of one item. They nest: a group may hold contents. A title, description or location holds for
/// all pictures in its parent that have none of their own.
struct MediaRSS {
    fileprivate struct Picture {
        var named: NamedPicture
        /// The title that it has alone.
        var title: String?
        let area: Double
        let bytes: Double
        let isDefault: Bool
    }

    fileprivate struct Scope {
        enum Kind { case item, group, content }

        let kind: Kind
        /// The `media:content` of this scope, if it is a picture.
        var picture: Picture?
        var pictures: [Picture] = []
        var thumbnails: [Picture] = []
        var title: String?
        var caption: String?
        var location = ItemLocation()
    }

    /// The other values that the standard knows besides `image`. Values of a feed's own, such as `photo`, say nothing.
    private static let otherMedia: Set = ["audio", "video", "document", "executable"]
    /// No picture is so wide or so high. A larger number counts as none.
    private static let longestSide = 1_000_000.0
    /// No feed nests groups and contents so deep. Each level goes over all images in it.
    private static let mostScopes = 16

    private var scopes = [Scope(kind: .item)]
    /// How many open elements say where a picture was taken.
    private var locationDepth = 0
    private var textIsPlain = true
    /// The number of pictures and thumbnails, with all renditions.
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
            scopes.append(Scope(kind: .group))
            return .children
        case "content":
            scopes.append(Scope(kind: .content))
            if Self.isPicture(element) {
                scopes[scopes.count - 1].picture = Self.picture(element)
                count += 1
            }
            return .children
        case "thumbnail":
            if let picture = Self.picture(element) {
                scopes[scopes.count - 1].thumbnails.append(picture)
                count += 1
            }
            return .nothing
        case "location":
            scopes[scopes.count - 1].location.propose(name: element.attribute("description"))
            locationDepth += 1
            return .children
        case "title", "description":
            // By the standard, a text without a type is plain. Many feeds put HTML there.
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
        StepCounter.add(scope.pictures.count + scope.thumbnails.count)
        scope.handDown()
        scope.picture?.title = scope.title
        if let picture = scope.picture { scopes[parent].pictures.append(picture) }
        if scope.kind == .group {
            if let best = Self.best(of: scope.pictures) { scopes[parent].pictures.append(best) }
            if let best = Self.best(of: scope.thumbnails) { scopes[parent].thumbnails.append(best) }
        } else {
            scopes[parent].pictures += scope.pictures
            scopes[parent].thumbnails += scope.thumbnails
        }
    }

    // MARK: What was read

    var location: String? { scopes[0].location.text }

    /// The pictures and the thumbnails in the order of the document. Blogs give their author's picture, too.
    func pictures(by authors: Set<String>) -> (pictures: [NamedPicture], thumbnails: [NamedPicture]) {
        var item = scopes[0]
        item.handDown()
        let pictures = item.pictures.map { picture in
            var named = picture.named
            if let title = picture.title, authors.contains(title.lowercased()) { named.decoration = .author }
            return named
        }
        return (pictures, item.thumbnails.map(\.named))
    }

    private static func isPicture(_ element: XMLElement) -> Bool {
        guard let reference = element.attribute("url") else { return false }
        let type = element.attribute("type")
        let medium = element.attribute("medium")?.lowercased()
        // Some servers send `application/octet-stream` for a picture.
        if medium == "image" { return true }
        if let isImage = ImageKind.isImage(type: type) { return isImage }
        if let medium, otherMedia.contains(medium) { return false }
        return ImageKind.hasImageName(reference) || type == nil && isLikePicture(element, reference)
    }

    /// For a reference that nothing tells the type of: it is like a picture if it has a size, has no duration, and is
    /// not named as a film.
    private static func isLikePicture(_ element: XMLElement, _ reference: String) -> Bool {
        guard let width = side("width", of: element), let height = side("height", of: element) else { return false }
        return width * height > 0 && element.attribute("duration") == nil && !ImageKind.hasFilmName(reference)
    }

    private static func picture(_ element: XMLElement) -> Picture? {
        guard let reference = element.attribute("url") else { return nil }
        // A picture with one side given counts as a square.
        let (width, height) = (side("width", of: element), side("height", of: element))
        let address = NamedPicture.Address(
            reference: reference, base: element.base, width: width ?? 0, height: height ?? 0)
        return Picture(
            named: NamedPicture([address]), area: (width ?? height ?? 0) * (height ?? width ?? 0),
            bytes: element.attribute("fileSize").flatMap(Double.init) ?? 0,
            isDefault: element.attribute("isDefault") == "true")
    }

    /// Nil if the attribute is missing.
    private static func side(_ name: StaticString, of element: XMLElement) -> Double? {
        guard let given = element.attribute(name) else { return nil }
        let length = FoldedText.fold(given).flatMap(Double.init) ?? 0
        return length > 0 && length <= longestSide ? length : 0
    }

    /// Chooses the largest rendition of a picture, among equals the default one, else the first. The others come behind it
    /// in this order.
    private static func best(of pictures: [Picture]) -> Picture? {
        // Sorting keeps the order of equals.
        let sorted = pictures.sorted {
            if $0.area != $1.area { return $0.area > $1.area }
            if $0.bytes != $1.bytes { return $0.bytes > $1.bytes }
            return $0.isDefault && !$1.isDefault
        }
        guard var best = sorted.first else { return nil }
        for other in sorted.dropFirst() {
            best.named.addresses += other.named.addresses
            best.named.description = best.named.description ?? other.named.description
            best.named.location = best.named.location ?? other.named.location
        }
        return best
    }
}

extension MediaRSS.Scope {
    /// Gives the title, else the description, and the location to the pictures that have none of their own.
    fileprivate mutating func handDown() {
        let words = title ?? caption
        let place = kind == .item ? nil : location.text
        func complete(_ picture: inout MediaRSS.Picture) {
            picture.named.description = picture.named.description ?? words
            picture.named.location = picture.named.location ?? place
        }
        if var own = picture {
            complete(&own)
            picture = own
        }
        for index in pictures.indices { complete(&pictures[index]) }
        for index in thumbnails.indices { complete(&thumbnails[index]) }
    }
}
