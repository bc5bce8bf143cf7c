internal import FeedCore

/// A picture as it is to be laid out.
struct WantedFile {
    let image: StoredImage
    let date: Timestamp
    /// Relative to the tree; empty for the tree itself.
    let folder: String
    let stem: String
    let ending: String

    /// The name that it has where `number` others have it already.
    func path(_ number: Int) -> String {
        let name = number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
        return folder.isEmpty ? name : "\(folder)/\(name)"
    }

    /// Which of these names this is; nil for none.
    func number(of path: String) -> Int? {
        if path == self.path(1) { return 1 }
        guard path.hasSuffix(")\(ending)"), let open = path.lastIndex(of: "(") else { return nil }
        let digits = path[path.index(after: open)...].dropLast(ending.count + 1)
        guard let number = Int(digits), number > 1, path == self.path(number) else { return nil }
        return number
    }
}

/// What the pictures of feeds are called.
struct TreeNaming {
    /// Behind the stem of a name there is room for a number.
    private static let roomForNumber = 10

    let template: TreeTemplate
    private var feeds = FeedFolders()

    init(_ template: TreeTemplate) { self.template = template }

    mutating func files(of feed: GalleryFeed) -> [WantedFile] {
        let slug = feeds.name(of: feed)
        let width = max(3, String(feed.pictures.count).count)
        var seen: Set<Name> = []
        var files: [WantedFile] = []
        files.reserveCapacity(feed.pictures.count)
        for (place, picture) in feed.pictures.enumerated() {
            guard let stored = picture.stored else { continue }
            let date = picture.image.published ?? stored.fetchedAt
            let digits = String(place + 1)
            let values = Values(
                feed: slug, day: date.day, picture: picture.image, stored: stored,
                number: String(repeating: "0", count: max(0, width - digits.count)) + digits)
            let ending = ".\(stored.type.fileExtension)"
            let file = WantedFile(
                image: stored, date: date,
                folder: template.folders.map { SafeName.make(values.text($0)) }.joined(separator: "/"),
                stem: SafeName.make(
                    values.text(template.file), limit: SafeName.longest - Self.roomForNumber - ending.utf8.count),
                ending: ending)
            // The same picture of the same name needn't be there twice.
            if seen.insert(Name(digest: stored.digest, path: file.path(1))).inserted { files.append(file) }
        }
        return files
    }
}

private struct Name: Hashable {
    let digest: Digest
    let path: String

    /// A picture has few names, and to hash them takes longer than to compare them.
    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// What the fields of a template stand for.
private struct Values {
    let feed: String
    let day: String
    let picture: FeedImage
    let stored: StoredImage
    let number: String

    func text(_ pieces: [TreeTemplate.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }

    private func value(_ field: TreeTemplate.Field) -> String {
        switch field {
        case .feed: feed
        case .date: day
        case .year: String(day.prefix(4))
        case .month: String(day.dropFirst(5).prefix(2))
        case .title: title
        case .id: picture.id
        case .n: number
        case .digest: stored.digest.hex
        case .ext: stored.type.fileExtension
        }
    }

    private var title: String {
        for text in [picture.title, picture.description] {
            if let text, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { return text }
        }
        return picture.id
    }
}
