/// How the files of a tree are named: texts and fields in braces, with `/` between directories.
package struct TreeTemplate: Hashable, Sendable {
    package enum Field: String, CaseIterable, Sendable {
        case feed, date, year, month, title, id, n, digest, ext
    }

    package enum Piece: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    package static let standard = TreeTemplate(
        directories: [[.field(.feed)]], file: [.field(.date), .text(" "), .field(.title)])

    /// The pieces of each directory's name.
    package let directories: [[Piece]]
    /// The segments of the file name, without its extension.
    package let file: [Piece]

    private init(directories: [[Piece]], file: [Piece]) {
        self.directories = directories
        self.file = file
    }

    /// Returns nil for a template that names no file below the directory.
    package init?(_ text: String) {
        var names: [[Piece]] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard !part.isEmpty, part != ".", part != "..", let pieces = Self.pieces(part) else { return nil }
            names.append(pieces)
        }
        guard var file = names.popLast() else { return nil }
        // Every file ends with its extension; one that says so says it once.
        if file.last == .field(.ext), case .text(let before)? = file.dropLast().last, before.hasSuffix(".") {
            file.removeLast(2)
            if before != "." { file.append(.text(String(before.dropLast()))) }
        }
        guard !file.isEmpty else { return nil }
        self.init(directories: names, file: file)
    }

    private static func pieces(_ text: Substring) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = text
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" && $0 != "}" }
            if !literal.isEmpty { pieces.append(.text(String(literal))) }
            rest = rest.dropFirst(literal.count)
            guard rest.first == "{" else { return rest.isEmpty ? pieces : nil }
            guard let end = rest.firstIndex(of: "}"), let field = Field(rawValue: String(rest[..<end].dropFirst()))
            else {
                return nil
            }
            pieces.append(.field(field))
            rest = rest[rest.index(after: end)...]
        }
        return pieces
    }
}
