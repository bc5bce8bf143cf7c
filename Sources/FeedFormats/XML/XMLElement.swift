internal import FeedCore

/// The start of an element as libxml2 tells of it. It is good only during the call that hands it over.
struct XMLTag {
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    let uri: UnsafePointer<UInt8>?
    /// How many namespaces it declares.
    let namespaces: Int
    /// Five pointers for each attribute: local name, prefix, URI, and where the value begins and ends.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let attributeCount: Int
    let line: Int
    let column: Int

    func malformed(_ reason: String) -> DecodingFailure { .malformed(reason, line: line, column: column) }
}

/// An element that begins. It is good only during the call that hands it over.
struct XMLElement {
    let name: XMLName
    /// The `xml:base` that holds here, if there is one. Relative references resolve against it.
    let base: ResourceURL?
    private let tag: XMLTag

    var line: Int { tag.line }
    var hasPrefix: Bool { tag.prefix != nil }

    init(_ name: XMLName, base: ResourceURL?, _ tag: XMLTag) {
        self.name = name
        self.base = base
        self.tag = tag
    }

    /// The value of the attribute; nil also for an empty one.
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

    /// Whether the link's relation is this one, by its name or by its URI (RFC 4287, section 4.2.7.2).
    func isLink(_ relation: String) -> Bool {
        guard let given = attribute("rel")?.lowercased() else { return false }
        return given == relation || given == "http://www.iana.org/assignments/relation/\(relation)"
    }

    /// The names and values of the attributes without a prefix, for writing XHTML as HTML.
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

    /// libxml2 leaves `&` as a character reference, for the tree that it thinks we build, and leaves the names of
    /// characters. It decodes all else.
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
