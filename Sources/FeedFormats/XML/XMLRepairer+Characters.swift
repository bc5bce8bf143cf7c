extension XMLRepairer {
    /// Takes a character over, in place of one that no document may hold, another.
    mutating func character() {
        let byte = text.bytes[index]
        if byte < 0x80 {
            guard byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D else {
                ready.append(byte)
                index += 1
                return
            }
            return replace(1, with: " ", "a control character")
        }
        if let characters = text.characters {
            ready += characters[Int(byte) - 0x80]
            index += 1
            return
        }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = text.bytes[index..<text.end].prefix(4).makeIterator()
        switch parser.parseScalar(from: &rest) {
        case .valid(let scalar) where Unicode.UTF8.decode(scalar).value & ~1 != 0xFFFE:
            ready += scalar
            index += scalar.count
        case .valid(let scalar): replace(scalar.count, with: "\u{FFFD}", "a control character")
        case .error(let length):
            fault("a byte that is no UTF-8", at: index)
            // Nearly always it is of Latin-1, which nobody declared.
            for byte in text.bytes[index..<(index + length)] { ready += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
            index += length
        case .emptyInput: index = text.end
        }
    }

    mutating func replace(_ count: Int, with other: StaticString, _ reason: @autoclosure () -> String) {
        fault(reason(), at: index)
        other.withUTF8Buffer { ready += $0 }
        index += count
    }

    /// Takes over a reference to a character. An entity that the document itself declares is refused, as its meaning is
    /// not read. Any other that is not known is text.
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
        if !isKnown, text.declares(entity: name) {
            refuse("Entity '\(String(decoding: name, as: UTF8.self))' not defined", at: index)
        }
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
