internal import Glibc

extension XMLRepairer {
    static let slash = UInt8(ascii: "/")
    static let close = UInt8(ascii: ">")

    /// Reads a name, and makes it one that any XML document may have: `_` replaces each other character, and each colon but
    /// one that separates a prefix.
    mutating func name() -> [UInt8] {
        let start = index
        while index < text.end, !Self.endsName(text.bytes[index]), text.bytes[index] != UInt8(ascii: "="),
            !(text.bytes[index] == Self.slash && isAtEmptyEnd)
        {
            index += 1
        }
        StepCounter.add(index - start)
        let given = text.bytes[start..<index]
        var name: [UInt8] = []
        var hasPrefix = false
        for (offset, byte) in given.enumerated() {
            let isColon = byte == UInt8(ascii: ":")
            let follows = start + offset + 1
            let isKept =
                isColon
                ? offset > 0 && !hasPrefix && follows < index && Self.beginsName(text.bytes[follows])
                : byte < 0x80 && (offset == 0 ? Self.beginsName(byte) : Self.isNamePart(byte))
            if isKept, isColon { hasPrefix = true }
            if !isKept, byte < 0x80 { fault("a name with other characters", at: start) }
            name.append(isKept ? byte : UInt8(ascii: "_"))
        }
        return name
    }

    static func beginsName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func isNamePart(_ byte: UInt8) -> Bool {
        beginsName(byte) || (0x30...0x3A).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == close || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "'")
    }

    static func isSame(_ name: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        StepCounter.add(name.count)
        return name.count == other.count && zip(name, other).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    /// Names that `isSame` holds for have the same hash.
    static func hash(_ name: [UInt8]) -> Int {
        var hasher = Hasher()
        for byte in name { hasher.combine(byte | 0x20) }
        return hasher.finalize()
    }

    func begins(with mark: StaticString) -> Bool {
        text.bytes[index..<text.end].starts(
            with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }

    /// Where the mark stands, if it does.
    func find(_ mark: [UInt8], from start: Int) -> Int? {
        text.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = mark.first else { return nil }
            var place = start
            while place + mark.count <= text.end, let found = memchr(base + place, CInt(first), text.end - place) {
                StepCounter.add(UnsafeRawPointer(found) - base - place)
                place = UnsafeRawPointer(found) - base
                if bytes[place..<text.end].starts(with: mark) { return place }
                place += 1
            }
            return nil
        }
    }

    /// Leaves out all but the lines' ends, through the mark, or to the end of the text.
    mutating func drop(to mark: [UInt8], from start: Int) {
        pass(to: find(mark, from: start).map { $0 + mark.count } ?? text.end)
    }

    mutating func pass(to end: Int) {
        ready += text.bytes[index..<end].lazy.filter { $0 == UInt8(ascii: "\n") }
        index = end
    }
}
