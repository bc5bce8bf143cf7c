internal import CXML

enum LibXML {
    /// Initialises libxml2 once per process, before its first use.
    static let initialised: Void = xmlInitParser()

    /// The most names in one parser.
    ///
    /// libxml2 stores each name once, and its lookups slow down with their number.
    static let mostNames: Int32 = 10_000

    /// Returns the character that HTML 4 gives this name.
    static func character(named name: UnsafePointer<xmlChar>) -> String? {
        htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) }.map { String($0) }
    }
}

extension LibXML {
    /// Replaces character references, such as `&amp;` and `&#8217;`, with their characters.
    ///
    /// It returns nil for an incomplete or unknown reference, for which HTML has rules of its own.
    static func decodingReferences(in text: String) -> String? {
        var decoded = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            let reference = rest[start...].dropFirst()
            guard let end = reference.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(of: Substring(reference[..<end]))
            else { return nil }
            decoded += Substring(rest[..<start])
            decoded += character
            rest = rest[end...].dropFirst()
        }
        return decoded + Substring(rest)
    }

    private static func character(of reference: Substring) -> String? {
        guard reference.first == "#" else { return character(named: String(reference)) }
        let isHex = reference.dropFirst().first.map { $0 == "x" || $0 == "X" } == true
        let number = isHex ? UInt32(reference.dropFirst(2), radix: 16) : UInt32(reference.dropFirst())
        return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }.map { String($0) }
    }
}

/// Supplies libxml2 with the characters that have a name in HTML but not in XML.
///
/// Many feeds use these names.
final class CharacterEntity {
    /// The size of one character in UTF-8 and a NUL.
    private static let longest = 5

    private let entity = UnsafeMutablePointer<xmlEntity>.allocate(capacity: 1)
    private let content = UnsafeMutablePointer<xmlChar>.allocate(capacity: longest)

    init() {
        entity.initialize(to: xmlEntity())
        entity.pointee.type = XML_ENTITY_DECL
        entity.pointee.content = content
        entity.pointee.orig = content
        content.initialize(repeating: 0, count: Self.longest)
    }

    deinit {
        entity.deallocate()
        content.deallocate()
    }

    /// Returns the entity, which is valid until the next call.
    ///
    /// In an attribute, libxml2 would read only the first byte of an entity that it considers predefined, and it leaves
    /// any other entity as it is written. There the entity is empty, so that libxml2 accepts it, and `XMLElement`
    /// decodes the name.
    func named(_ name: UnsafePointer<xmlChar>, inAttribute: Bool) -> UnsafeMutablePointer<xmlEntity>? {
        guard let character = LibXML.character(named: name) else { return nil }
        let text = (inAttribute ? "" : character).utf8.prefix(Self.longest - 1)
        for (index, byte) in text.enumerated() { content[index] = byte }
        content[text.count] = 0
        entity.pointee.etype = inAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.name = name
        entity.pointee.length = Int32(text.count)
        return entity
    }
}
