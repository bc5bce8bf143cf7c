internal import CXML

/// Gives libxml2 the characters that HTML has names for and XML has not. Many feeds use these names all the same.
final class CharacterEntity {
    /// The bytes of one character in UTF-8 and a NUL.
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

    /// The result is good until the next call. In an attribute, libxml2 would take only the first byte of an entity that it
    /// thinks predefined, and leaves any other as it is written. There the entity is empty, so that libxml2 finds nothing
    /// to refuse, and `XMLElement` reads the name.
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
