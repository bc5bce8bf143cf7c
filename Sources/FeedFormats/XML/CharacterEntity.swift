internal import CXML

/// The names of characters that HTML knows and XML doesn't: many a feed uses them all the same.
final class CharacterEntity {
    private let entity = UnsafeMutablePointer<xmlEntity>.allocate(capacity: 1)
    private let content = UnsafeMutablePointer<xmlChar>.allocate(capacity: 5)

    init() {
        entity.initialize(to: xmlEntity())
        entity.pointee.type = XML_ENTITY_DECL
        entity.pointee.content = content
        entity.pointee.orig = content
        content.initialize(repeating: 0, count: 5)
    }

    deinit {
        entity.deallocate()
        content.deallocate()
    }

    static func scalar(_ name: String) -> Unicode.Scalar? {
        if let known = htmlEntityLookup(name) { return Unicode.Scalar(known.pointee.value) }
        return CharacterNames.later[name]
    }

    /// Good until the next call. In an attribute libxml2 would take but the first byte of one that it thinks predefined; any
    /// other it leaves as it is written, and `XMLElement` reads it.
    func named(_ name: UnsafePointer<xmlChar>, inAttribute: Bool) -> UnsafeMutablePointer<xmlEntity>? {
        guard let scalar = Self.scalar(String(cString: name)) else { return nil }
        for (index, byte) in (Array(UTF8.encode(scalar) ?? .init()) + [0]).enumerated() { content[index] = byte }
        entity.pointee.etype = inAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.name = name
        entity.pointee.length = Int32(UTF8.width(scalar))
        return entity
    }

    /// What stands for further declarations, such as those of HTML's characters: none of these is needed.
    func empty(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity> {
        entity.pointee.etype = XML_INTERNAL_PARAMETER_ENTITY
        entity.pointee.name = name
        return entity
    }
}
