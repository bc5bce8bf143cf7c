internal import FeedCore

/// Counts the videos, sounds and documents that a feed names and that are not mirrored.
struct OtherMedia {
    enum Kind: String, CaseIterable {
        case video, sound, document
    }

    /// The most URLs that are counted, which bounds the memory.
    private static let most = 100_000

    /// The kind of each URL, by the hash of the URL.
    private var kinds: [UInt64: Kind] = [:]

    /// Counts a URL, unless it was counted before or leads to something else.
    mutating func add(_ reference: String?, type: String?, medium: String? = nil) {
        guard let reference, let kind = Self.kind(of: reference, type: type, medium: medium) else { return }
        add(kind, reference.utf8.fnv1a)
    }

    mutating func add(_ other: OtherMedia) {
        for (hash, kind) in other.kinds { add(kind, hash) }
    }

    private mutating func add(_ kind: Kind, _ hash: UInt64) {
        if kinds.count < Self.most { kinds[hash] = kinds[hash] ?? kind }
    }

    /// A sentence with the numbers, or nil if the feed has only images.
    var note: String? {
        guard !kinds.isEmpty else { return nil }
        let counts = Kind.allCases.compactMap { kind in
            let count = kinds.values.count { $0 == kind }
            return count == 0 ? nil : "\(count) \(kind)\(count == 1 ? "" : "s")"
        }
        let beginning = counts.dropLast().joined(separator: ", ")
        let list = ([beginning] + counts.suffix(1)).filter { !$0.isEmpty }.joined(separator: " and ")
        let quantity = kinds.count == Self.most ? "at least " : ""
        return "\(quantity)\(list) \(kinds.count == 1 ? "is" : "are") not mirrored"
    }

    /// Returns the kind by the media type, else by the `medium` of Media RSS, else by the suffix of the file name.
    private static func kind(of reference: String, type: String?, medium: String?) -> Kind? {
        if let type = type.flatMap(FoldedText.fold)?.lowercased() {
            if type.hasPrefix("video/") { return .video }
            if type.hasPrefix("audio/") { return .sound }
            if documentTypes.contains(where: type.hasPrefix) { return .document }
            if ImageKind.isImage(type: type) != nil { return nil }
        }
        switch medium {
        case "video": return .video
        case "audio": return .sound
        case "document": return .document
        case "image": return nil
        default: break
        }
        if ImageKind.hasFilmName(reference) { return .video }
        let suffixes = ImageKind.suffixes(of: reference)
        if !soundSuffixes.isDisjoint(with: suffixes) { return .sound }
        return documentSuffixes.isDisjoint(with: suffixes) ? nil : .document
    }

    private static let documentTypes = [
        "application/pdf", "application/x-pdf", "application/epub", "application/msword", "application/rtf",
        "application/vnd.ms-", "application/vnd.oasis.opendocument.", "application/vnd.openxmlformats-", "text/plain",
        "text/rtf", "text/markdown", "text/csv",
    ]
    private static let soundSuffixes: Set<String> = [
        "mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "wma", "mid", "aif", "aiff",
    ]
    private static let documentSuffixes: Set<String> = [
        "pdf", "epub", "mobi", "djvu", "doc", "docx", "odt", "ods", "odp", "xls", "xlsx", "ppt", "pptx", "rtf", "txt",
        "csv",
    ]
}
