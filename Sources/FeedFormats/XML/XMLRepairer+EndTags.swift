internal import CXML
internal import JSONText

extension XMLRepairer {
    mutating func endTag() {
        let start = index
        index += 2
        let name = name()
        guard let end = text.bytes[index..<text.end].firstIndex(where: { $0 == Self.close || $0 == UInt8(ascii: "<") })
        else {
            index = text.end
            return
        }
        let isWhole = text.bytes[end] == Self.close
        if !isWhole { fault("a tag without its end", at: start) }
        pass(to: isWhole ? end + 1 : end)
        let hash = Self.hash(name)
        if let depth = open.lastIndex(where: { $0.hash == hash && Self.isSame($0.name[...], name[...]) }) {
            if open[depth].name != name {
                fault("\(Self.shown("</", name)) in other letters than its start tag", at: start)
            }
            self.end(through: depth, at: start)
        } else {
            fault("\(Self.shown("</", name)) without its start tag", at: start)
            if isMisspelt(name) { self.end(through: open.count - 1, at: start) }
        }
    }

    /// Whether an end tag that ends nothing stands for that of the element at hand: one of text alone, such as a title. Stray
    /// tags of HTML are what their authors forgot. The root is never ended by another's tag.
    private func isMisspelt(_ name: [UInt8]) -> Bool {
        guard open.count > 1, let last = open.last, !last.isParent else { return false }
        if Self.isSame(Self.local(last.name), Self.local(name)) { return true }
        return name.count > 20 || htmlTagLookup(String(decoding: name, as: UTF8.self)) == nil
    }

    private static func local(_ name: [UInt8]) -> ArraySlice<UInt8> {
        name[((name.lastIndex(of: UInt8(ascii: ":")) ?? -1) + 1)...]
    }

    /// Ends the element at this depth. Those in it have no end tags.
    mutating func end(through depth: Int, at place: Int) {
        while open.count > depth, let element = open.popLast() {
            let isMissing = open.count > depth
            ready += "</".utf8
            ready += element.name
            ready.append(Self.close)
            if isMissing { fault("\(Self.shown("<", element.name)) without its end tag", at: place) }
        }
        hasEnded = open.isEmpty
    }

    static func shown(_ mark: String, _ name: [UInt8]) -> String {
        JSONWriter.quote("\(mark)\(String(decoding: name, as: UTF8.self))>", limit: 40)
    }
}
