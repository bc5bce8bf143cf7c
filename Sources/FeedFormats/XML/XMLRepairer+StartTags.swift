extension XMLRepairer {
    mutating func startTag() {
        let start = index
        index += 1
        let name = name()
        endSibling(of: name, at: start)
        ready.append(UInt8(ascii: "<"))
        ready += name
        var attributes = 0
        while index < text.end {
            switch text.bytes[index] {
            case Self.close:
                index += 1
                return begin(name, at: start)
            case Self.slash where isAtEmptyEnd:
                index += 2
                ready += "/>".utf8
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
    }

    var isAtEmptyEnd: Bool { index + 1 < text.end && text.bytes[index + 1] == Self.close }

    private mutating func begin(_ name: [UInt8], at start: Int) {
        if root == nil { root = String(decoding: name, as: UTF8.self) }
        ready.append(Self.close)
        noteParent()
        open.append(OpenElement(name: name, hash: Self.hash(name)))
        if open.count > XMLDispatch.maxDepth { refuse("nested more than \(XMLDispatch.maxDepth) deep", at: start) }
    }

    private mutating func noteParent() {
        if let last = open.indices.last { open[last].isParent = true }
    }

    /// No item holds another: the first one's end tag is missing.
    private mutating func endSibling(of name: [UInt8], at place: Int) {
        guard name.elementsEqual("item".utf8) || name.elementsEqual("entry".utf8),
            let depth = open.lastIndex(where: { $0.name == name }), depth > 0
        else { return }
        fault("\(Self.shown("<", name)) without its end tag", at: place)
        end(through: depth, at: place)
    }

    /// Takes over what has a name and a value. What has none is dropped.
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
        ready.append(UInt8(ascii: " "))
        ready += name
        while index < sign { character() }
        ready.append(UInt8(ascii: "="))
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
            ready.append(quote)
            index += 1
            while index < end { valueCharacter() }
            ready.append(quote)
            index = end + 1
        } else {
            fault("a value without quotes", at: index)
            ready.append(UInt8(ascii: "\""))
            while index < text.end, !Self.endsName(text.bytes[index]),
                !(text.bytes[index] == Self.slash && isAtEmptyEnd)
            {
                valueCharacter()
            }
            ready.append(UInt8(ascii: "\""))
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
