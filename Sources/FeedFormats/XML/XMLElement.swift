internal import FeedCore

struct XMLName: Equatable {
    let vocabulary: XMLVocabulary
    let local: String

    init(_ vocabulary: XMLVocabulary, _ local: String) {
        self.vocabulary = vocabulary
        self.local = local
    }
}

/// An element that begins. It is good as long as the call that it was handed to.
struct XMLElement {
    let name: XMLName
    /// Of the `xml:base` that holds here, if there is one: what relative references begin at.
    let base: ResourceURL?
    private let tag: XMLTag

    var line: Int { tag.line }
    var hasPrefix: Bool { tag.prefix != nil }

    init(_ name: XMLName, base: ResourceURL?, _ tag: XMLTag) {
        self.name = name
        self.base = base
        self.tag = tag
    }

    /// The attribute of that name; nil also if there is nothing in it.
    func attribute(_ local: StaticString, in vocabulary: XMLVocabulary = .plain) -> String? {
        guard let attributes = tag.attributes else { return nil }
        for index in 0..<tag.attributeCount {
            let parts = attributes + 5 * index
            guard let name = parts[0], Self.equal(name, local) else { continue }
            guard XMLVocabulary(uri: parts[2], prefix: parts[1]) == vocabulary else { continue }
            let value = Self.value(from: parts[3], to: parts[4])
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Whether this links to what stands in that relation: by its name, or by its URI (RFC 4287, section 4.2.7.2).
    func isLink(_ relation: String) -> Bool {
        guard let given = attribute("rel")?.lowercased() else { return false }
        return given == relation || given == "http://www.iana.org/assignments/relation/\(relation)"
    }

    /// Names and values, those of namespaces left out: for writing XHTML as HTML.
    var plainAttributes: [(name: String, value: String)] {
        guard let attributes = tag.attributes else { return [] }
        return (0..<tag.attributeCount).compactMap { index in
            let parts = attributes + 5 * index
            guard let name = parts[0], parts[1] == nil else { return nil }
            return (String(cString: name), Self.value(from: parts[3], to: parts[4]))
        }
    }

    private static func equal(_ name: UnsafePointer<UInt8>, _ wanted: StaticString) -> Bool {
        for offset in 0..<wanted.utf8CodeUnitCount where name[offset] != wanted.utf8Start[offset] { return false }
        return name[wanted.utf8CodeUnitCount] == 0
    }

    /// libxml2 leaves `&` written as a character reference, for the tree that it thinks we build, and so the names of
    /// characters; nothing else.
    private static func value(from start: UnsafePointer<UInt8>?, to end: UnsafePointer<UInt8>?) -> String {
        guard let start, let end else { return "" }
        let text = String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let pieces = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: pieces.first.map { String(Substring($0)) } ?? "") { decoded, piece in
            let name = String(Substring(piece.prefix { $0 != UInt8(ascii: ";") }))
            let meant = name == "#38" ? "&" : LibXML.character(named: name)
            decoded += meant ?? "&"
            decoded += Substring(meant == nil ? piece : piece.dropFirst(name.utf8.count + 1))
        }
    }
}
