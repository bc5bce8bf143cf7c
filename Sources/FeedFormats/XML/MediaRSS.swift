internal import FeedCore

/// The `media:` elements of one item. They nest: a content may be in a group, and title, description and location hold
/// for what they stand in, where it has none of its own.
struct MediaRSS {
    fileprivate struct Picture {
        var reference: ImageReference
        let area: Double
        let isDefault: Bool
    }

    fileprivate struct Scope {
        enum Kind { case item, group, content, location }

        let kind: Kind
        /// The content itself, if it is a picture.
        var picture: Picture?
        var pictures: [Picture] = []
        var thumbnails: [Picture] = []
        var title: String?
        var caption: String?
        var location = ItemLocation()
    }

    private var scopes = [Scope(kind: .item)]

    // MARK: Reading

    mutating func begin(_ element: XMLElement) -> XMLInterest? {
        if let interest = scopes[scopes.count - 1].location.interest(in: element.name) {
            if interest == .children { open(.location) }
            return interest
        }
        guard element.name.vocabulary == .media else { return nil }
        switch element.name.local {
        case "group":
            open(.group)
            return .children
        case "content":
            open(.content)
            if Self.isPicture(element) { scopes[scopes.count - 1].picture = Self.picture(element) }
            return .children
        case "thumbnail":
            if let picture = Self.picture(element) { scopes[scopes.count - 1].thumbnails.append(picture) }
            return .nothing
        case "location":
            scopes[scopes.count - 1].location.propose(name: element.attribute("description"))
            open(.location)
            return .children
        case "title", "description": return .text
        default: return .nothing
        }
    }

    private mutating func open(_ kind: Scope.Kind) {
        // The location's own children tell of what it stands in.
        var scope = Scope(kind: kind)
        if kind == .location, let last = scopes.last { scope.location = last.location }
        scopes.append(scope)
    }

    mutating func receive(_ text: String, of name: XMLName, plain: (String) -> String?) {
        let last = scopes.count - 1
        switch (name.vocabulary, name.local) {
        case (.media, "title"): scopes[last].title = scopes[last].title ?? plain(text)
        case (.media, "description"): scopes[last].caption = scopes[last].caption ?? plain(text)
        default: scopes[last].location.receive(text, of: name)
        }
    }

    /// Of a group, a content or a location.
    mutating func end() {
        guard scopes.count > 1, var scope = scopes.popLast() else { return }
        let parent = scopes.count - 1
        if scope.kind == .location {
            scopes[parent].location = scope.location
            return
        }
        scope.handDown()
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

    /// The pictures as they stand, and the thumbnails.
    var references: (images: [ImageReference], thumbnails: [ImageReference]) {
        var item = scopes[0]
        item.handDown()
        return (item.pictures.map(\.reference), item.thumbnails.map(\.reference))
    }

    private static func isPicture(_ element: XMLElement) -> Bool {
        guard let reference = element.attribute("url") else { return false }
        if let type = element.attribute("type") { return ImageKind.isImage(type: type) }
        if let medium = element.attribute("medium") { return medium == "image" }
        return ImageKind.hasImageName(reference)
    }

    private static func picture(_ element: XMLElement) -> Picture? {
        guard let reference = ImageReference(element.attribute("url"), base: element.base) else { return nil }
        let width = element.attribute("width").flatMap(Double.init) ?? 0
        let height = element.attribute("height").flatMap(Double.init) ?? 0
        let area = width * height
        return Picture(
            reference: reference, area: area.isFinite ? area : 0, isDefault: element.attribute("isDefault") == "true")
    }

    /// Of the renditions of one picture: the largest, else the default one, else the first.
    private static func best(of pictures: [Picture]) -> Picture? {
        let largest = pictures.map(\.area).max() ?? 0
        if largest > 0 { return pictures.first { $0.area == largest } }
        return pictures.first(where: \.isDefault) ?? pictures.first
    }
}

extension MediaRSS.Scope {
    /// To its pictures that have none of their own: its title, else its description, and its location.
    fileprivate mutating func handDown() {
        let words = title ?? caption
        let place = kind == .item ? nil : location.text
        func complete(_ picture: inout MediaRSS.Picture) {
            picture.reference.description = picture.reference.description ?? words
            picture.reference.location = picture.reference.location ?? place
        }
        if var own = picture {
            complete(&own)
            picture = own
        }
        for index in pictures.indices { complete(&pictures[index]) }
        for index in thumbnails.indices { complete(&thumbnails[index]) }
    }
}
