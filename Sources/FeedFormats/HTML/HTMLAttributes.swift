/// libxml2 compares each attribute of a tag with all before it: a tag of a hundred thousand takes minutes.
enum HTMLAttributes {
    static let most = 2000

    /// Where the first tag begins that has more attributes than any tag should; nil if there is none.
    static func excess(in html: String) -> Int? {
        var scan = Scan()
        let bytes = html.utf8Span.span
        var index = 0
        while index < bytes.count {
            if scan.reachesTooMany(bytes, &index, most) { return scan.start }
        }
        return nil
    }

    /// Goes from tag to tag.
    private struct Scan {
        /// Where the tag at hand begins.
        var start: Int?

        mutating func reachesTooMany(_ bytes: Span<UInt8>, _ index: inout Int, _ most: Int) -> Bool {
            guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "<"), isLetter(bytes[index + 1]) else {
                index += 1
                return false
            }
            start = index
            let isRaw = begins(with: "script", bytes, index + 1) || begins(with: "style", bytes, index + 1)
            var count = 0
            var isBetween = false
            while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
                switch bytes[index] {
                case 0...0x20, UInt8(ascii: "/"): isBetween = true
                case UInt8(ascii: "="): skipQuoted(bytes, &index)
                default:
                    if isBetween { count += 1 }
                    isBetween = false
                }
                guard count <= most else { return true }
                index += 1
            }
            if isRaw { skipRaw(bytes, &index) }
            return false
        }

        /// From an equals sign to the end of the value, if that is in quotes.
        private func skipQuoted(_ bytes: Span<UInt8>, _ index: inout Int) {
            var next = index + 1
            while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
            guard next < bytes.count, bytes[next] == UInt8(ascii: "\"") || bytes[next] == UInt8(ascii: "'") else {
                return
            }
            let quote = bytes[next]
            next += 1
            while next < bytes.count, bytes[next] != quote { next += 1 }
            index = min(next, bytes.count - 1)
        }

        /// In scripts and styles, what looks like a tag is none.
        private func skipRaw(_ bytes: Span<UInt8>, _ index: inout Int) {
            while index + 1 < bytes.count, bytes[index] != UInt8(ascii: "<") || bytes[index + 1] != UInt8(ascii: "/") {
                index += 1
            }
        }

        private func begins(with name: StaticString, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
            guard start + name.utf8CodeUnitCount <= bytes.count else { return false }
            for offset in 0..<name.utf8CodeUnitCount where bytes[start + offset] | 0x20 != name.utf8Start[offset] {
                return false
            }
            return true
        }

        private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    }
}
