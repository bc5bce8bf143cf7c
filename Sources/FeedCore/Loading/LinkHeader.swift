/// Reads the `Link` header of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the link to the next page, as the header has it.
    ///
    /// A page of an archive names the page before it (RFC 5005).
    static func next(in header: String) -> String? {
        target(of: "next", in: header) ?? target(of: "prev-archive", in: header)
    }

    private static func target(of relation: String, in header: String) -> String? {
        var rest = header[...]
        while let link = takeLink(from: &rest) {
            if link.has(relation) { return String(link.target) }
        }
        return nil
    }

    private struct Link {
        let target: Substring
        var parameters: [(name: String, value: String)] = []

        /// Returns whether the link has this relation.
        ///
        /// The first `rel` counts (section 3.3), and a link with an anchor belongs to another page (section 3.2).
        func has(_ relation: String) -> Bool {
            guard self["anchor"] == nil, let given = self["rel"] else { return false }
            return given.lowercased().split(whereSeparator: isBlank).contains { $0 == relation }
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
