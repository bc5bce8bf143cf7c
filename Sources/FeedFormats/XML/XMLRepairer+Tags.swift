internal import CXML
internal import JSONText

extension XMLRepairer {
    mutating func startTag() {
        let start = index
        index += 1
        let name = name()
        endOpenElements(before: name, at: start)
        let length = repaired.count
        repaired.append(UInt8(ascii: "<"))
        repaired += name
        var attributes = 0
        while index < text.end {
            switch text.bytes[index] {
            case Self.close:
                index += 1
                return begin(name, at: start)
            case Self.slash where isAtEmptyEnd:
                index += 2
                repaired += "/>".utf8
                noteParent()
                hasEnded = open.isEmpty
                return
            case UInt8(ascii: "<"):
                fault("a tag without its end", at: start)
                return begin(name, at: start)
            case 0...0x20: character()
            default:
                attributes += 1
                guard attributes <= XMLText.mostAttributes else {
                    return refuse("a tag with more than \(XMLText.mostAttributes) attributes", at: start)
                }
                attribute()
            }
        }
        // The text is cut off in the tag.
        repaired.removeSubrange(length...)
    }

    var isAtEmptyEnd: Bool { index + 1 < text.end && text.bytes[index + 1] == Self.close }

    private mutating func begin(_ name: [UInt8], at start: Int) {
        if root == nil { root = String(decoding: name, as: UTF8.self) }
        repaired.append(Self.close)
        noteParent()
        open.append(OpenElement(name: name, hash: Self.hash(name)))
        if open.count > XMLDispatcher.maxDepth { refuse("nested more than \(XMLDispatcher.maxDepth) deep", at: start) }
    }

    private mutating func noteParent() {
        if let last = open.indices.last { open[last].isParent = true }
    }

    /// Ends the elements that lack their end tags before an item or an enclosure.
    ///
    /// Items do not nest, and belong to the channel or the root. An enclosure belongs to its item.
    private mutating func endOpenElements(before name: [UInt8], at offset: Int) {
        let isEntry = name.elementsEqual("entry".utf8)
        if isEntry || name.elementsEqual("item".utf8) {
            if let depth = open.lastIndex(where: { $0.name == name }), depth > 0 {
                endUnclosed(from: depth, at: offset)
            } else if !open.isEmpty {
                let channel = isEntry ? nil : open.lastIndex { $0.name.elementsEqual("channel".utf8) }
                endUnclosed(from: (channel ?? 0) + 1, at: offset)
            }
        } else if name.elementsEqual("enclosure".utf8),
            let depth = open.lastIndex(where: { $0.name.elementsEqual("item".utf8) })
        {
            endUnclosed(from: depth + 1, at: offset)
        }
    }

    private mutating func endUnclosed(from depth: Int, at offset: Int) {
        guard depth < open.count else { return }
        let name = open[depth].name
        fault("\(Self.shown("<", name)) without its end tag", at: offset)
        end(through: depth, at: offset)
    }

    /// Copies an attribute that has a name and a value, and drops any other text.
    private mutating func attribute() {
        let start = index
        if text.bytes[index] == UInt8(ascii: "\"") || text.bytes[index] == UInt8(ascii: "'") {
            fault("a quote in a tag", at: start)
            return drop(to: [text.bytes[index]], from: index + 1)
        }
        let name = name()
        let nameEnd = index
        let sign = text.bytes[index..<text.end].firstIndex { $0 > 0x20 } ?? text.end
        guard !name.isEmpty, sign < text.end, text.bytes[sign] == UInt8(ascii: "=") else {
            fault("an attribute without a value", at: start)
            index = max(nameEnd, start + 1)
            return
        }
        repaired.append(UInt8(ascii: " "))
        repaired += name
        while index < sign { character() }
        repaired.append(UInt8(ascii: "="))
        index += 1
        while index < text.end, text.bytes[index] <= 0x20 { character() }
        value()
    }

    private mutating func value() {
        guard index < text.end else { return }
        let quote = text.bytes[index]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            guard let end = find([quote], from: index + 1) else {
                index = text.end
                return
            }
            repaired.append(quote)
            index += 1
            while index < end { valueCharacter() }
            repaired.append(quote)
            index = end + 1
        } else {
            fault("a value without quotes", at: index)
            repaired.append(UInt8(ascii: "\""))
            while index < text.end, !Self.endsName(text.bytes[index]),
                !(text.bytes[index] == Self.slash && isAtEmptyEnd)
            {
                valueCharacter()
            }
            repaired.append(UInt8(ascii: "\""))
        }
    }

    private mutating func valueCharacter() {
        switch text.bytes[index] {
        case UInt8(ascii: "&"): reference()
        case UInt8(ascii: "<"): replace(1, with: "&lt;", "a raw \"<\"")
        default: character()
        }
    }
}

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
        keepLineBreaks(to: isWhole ? end + 1 : end)
        let hash = Self.hash(name)
        if let depth = open.lastIndex(where: { $0.hash == hash && Self.isSame($0.name[...], name[...]) }) {
            if depth == 1, Self.isSame(name[...], Array("channel".utf8)[...]) { isBehindChannel = true }
            if open[depth].name != name {
                fault("\(Self.shown("</", name)) in other letters than its start tag", at: start)
            }
            self.end(through: depth, at: start)
        } else {
            fault("\(Self.shown("</", name)) without its start tag", at: start)
            if isMisspelt(name) { self.end(through: open.count - 1, at: start) }
        }
    }

    /// Returns whether an end tag without a start tag is a misspelling that ends the current element.
    ///
    /// This holds for an element that contains only text, such as a title, except the root. Stray HTML tags are
    /// leftovers instead.
    private func isMisspelt(_ name: [UInt8]) -> Bool {
        guard open.count > 1, let last = open.last, !last.isParent else { return false }
        if Self.isSame(Self.local(last.name), Self.local(name)) { return true }
        return name.count > 20 || htmlTagLookup(String(decoding: name, as: UTF8.self)) == nil
    }

    private static func local(_ name: [UInt8]) -> ArraySlice<UInt8> {
        name[((name.lastIndex(of: UInt8(ascii: ":")) ?? -1) + 1)...]
    }

    /// Ends the element at this depth, and the elements in it whose end tags are missing.
    mutating func end(through depth: Int, at offset: Int) {
        while open.count > depth, let element = open.popLast() {
            let isMissing = open.count > depth
            repaired += "</".utf8
            repaired += element.name
            repaired.append(Self.close)
            if isMissing { fault("\(Self.shown("<", element.name)) without its end tag", at: offset) }
        }
        hasEnded = open.isEmpty
    }

    static func shown(_ mark: String, _ name: [UInt8]) -> String {
        JSONWriter.quote("\(mark)\(String(decoding: name, as: UTF8.self))>", limit: 40)
    }
}

extension XMLRepairer {
    /// Copies a character, or replaces one that XML forbids.
    mutating func character() {
        let byte = text.bytes[index]
        if byte < 0x80 {
            guard byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D else {
                repaired.append(byte)
                index += 1
                return
            }
            return replace(1, with: " ", "a control character")
        }
        if let characters = text.characters {
            repaired += characters[Int(byte) - 0x80]
            index += 1
            return
        }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = text.bytes[index..<text.end].prefix(4).makeIterator()
        switch parser.parseScalar(from: &rest) {
        case .valid(let scalar) where Unicode.UTF8.decode(scalar).value & ~1 != 0xFFFE:
            repaired += scalar
            index += scalar.count
        case .valid(let scalar): replace(scalar.count, with: "\u{FFFD}", "a control character")
        case .error(let length):
            fault("a byte that is no UTF-8", at: index)
            // Such a byte is nearly always undeclared Latin-1.
            for byte in text.bytes[index..<(index + length)] { repaired += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
            index += length
        case .emptyInput: index = text.end
        }
    }

    mutating func replace(_ count: Int, with other: StaticString, _ reason: @autoclosure () -> String) {
        fault(reason(), at: index)
        other.withUTF8Buffer { repaired += $0 }
        index += count
    }

    /// Copies a character reference.
    ///
    /// A reference to an unknown entity becomes text: the declarations of the document are skipped, because they can
    /// expand endlessly.
    mutating func reference() {
        let isNumber = index + 1 < text.end && text.bytes[index + 1] == UInt8(ascii: "#")
        let name = text.bytes[(index + (isNumber ? 2 : 1))..<text.end].prefix(while: Self.isNamePart)
        let end = name.endIndex
        guard !name.isEmpty, end < text.end, text.bytes[end] == UInt8(ascii: ";") else {
            return replace(1, with: "&amp;", "a raw \"&\"")
        }
        if isNumber, !Self.isCharacter(name) {
            return replace(end + 1 - index, with: "\u{FFFD}", "a reference to no character")
        }
        let isKnown = isNumber || name.count <= 10 && Self.isKnown(String(decoding: name, as: UTF8.self))
        guard isKnown else {
            return replace(1, with: "&amp;", "an entity that is not defined")
        }
        while index <= end { character() }
    }

    private static func isKnown(_ name: String) -> Bool { LibXML.character(named: name) != nil }

    private static func isCharacter(_ digits: ArraySlice<UInt8>) -> Bool {
        let isHex = digits.first == UInt8(ascii: "x")
        let number = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard let value = UInt32(number, radix: isHex ? 16 : 10), let scalar = Unicode.Scalar(value) else {
            return false
        }
        return value >= 0x20 && scalar.value & ~1 != 0xFFFE || [0x09, 0x0A, 0x0D].contains(value)
    }
}
