/// Reads the `Link` header of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the first link whose relation is `next`, as the header has it.
    static func next(in header: String) -> String? {
        var rest = header[...]
        while let link = takeLink(from: &rest) {
            if link.isNext { return String(link.target) }
        }
        return nil
    }

    private struct Link {
        let target: Substring
        var parameters: [(name: String, value: String)] = []

        /// Whether the link leads to the next page. The first `rel` counts (section 3.3), and a link with an anchor
        /// belongs to another page (section 3.2).
        var isNext: Bool {
            guard self["anchor"] == nil, let relation = self["rel"] else { return false }
            return relation.lowercased().split(whereSeparator: isBlank).contains("next")
        }

        private subscript(name: String) -> String? { parameters.first { $0.name.lowercased() == name }?.value }
    }

    /// Takes one link of `<target>; name=value; name="value", <target>…`; nil at the end of the header.
    private static func takeLink(from rest: inout Substring) -> Link? {
        guard let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") else { return nil }
        var link = Link(target: rest[rest.index(after: open)..<close])
        rest = rest[rest.index(after: close)...]
        while true {
            rest = rest.drop(while: isBlank)
            guard rest.first == ";" else { break }
            rest = rest.dropFirst()
            let name = take(from: &rest) { $0 != "=" && $0 != ";" && $0 != "," }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            link.parameters.append((name, takeValue(from: &rest)))
        }
        return link
    }

    private static func takeValue(from rest: inout Substring) -> String {
        rest = rest.drop(while: isBlank)
        guard rest.first == "\"" else { return take(from: &rest) { $0 != ";" && $0 != "," } }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return value
    }

    private static func take(from rest: inout Substring, while isPart: (Character) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        let trimmed = part.drop(while: isBlank)
        return String(trimmed.lastIndex { !isBlank($0) }.map { trimmed[...$0] } ?? "")
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
