/// All names that HTML has for characters, from a file with a line for each: the number of the character, or of the two,
/// and the names, with a star where that needs no semicolon, as in HTML's first versions.
enum CharacterNames {
    static let longest = 31

    static var all: [String: String] { table.all }
    static var withoutSemicolon: Set<String> { table.withoutSemicolon }

    private static let table = {
        var all: [String: String] = [:]
        var withoutSemicolon: Set<String> = []
        for line in PackageResources.character_names_txt.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            let characters = words[0].split(separator: UInt8(ascii: "+")).compactMap { number in
                UInt32(String(decoding: number, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
            }
            for word in words.dropFirst() {
                let isStarred = word.last == UInt8(ascii: "*")
                let name = String(decoding: isStarred ? word.dropLast() : word, as: UTF8.self)
                all[name] = String(String.UnicodeScalarView(characters))
                if isStarred { withoutSemicolon.insert(name) }
            }
        }
        return (all: all, withoutSemicolon: withoutSemicolon)
    }()
}
