internal import CXML

/// The names of characters that HTML knows and XML doesn't: many a feed uses them all the same.
final class CharacterEntity {
    /// Of two characters in UTF-8, with a NUL behind them.
    private static let longest = 9

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

    /// Good until the next call. In an attribute libxml2 would take but the first byte of one that it thinks predefined; any
    /// other it leaves as it is written, and `XMLElement` reads it. There it has nothing in it that could be refused.
    func named(_ name: UnsafePointer<xmlChar>, inAttribute: Bool) -> UnsafeMutablePointer<xmlEntity>? {
        guard let meant = CharacterNames.all[String(cString: name)] else { return nil }
        let text = (inAttribute ? "" : meant).utf8.prefix(Self.longest - 1)
        for (index, byte) in text.enumerated() { content[index] = byte }
        content[text.count] = 0
        entity.pointee.etype = inAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.name = name
        entity.pointee.length = Int32(text.count)
        return entity
    }

    /// What stands for further declarations, such as those of HTML's characters: none of these is needed.
    func empty(_ name: UnsafePointer<xmlChar>?) -> UnsafeMutablePointer<xmlEntity> {
        entity.pointee.etype = XML_INTERNAL_PARAMETER_ENTITY
        entity.pointee.name = name
        return entity
    }
}
