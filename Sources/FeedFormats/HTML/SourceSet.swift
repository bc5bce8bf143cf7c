/// The addresses that `srcset` gives a image, the largest first (HTML, section 4.8.4.2.2).
struct SourceSet {
    private struct Candidate {
        let reference: String
        let merit: Merit
        let isOwn: Bool
    }

    /// By width before by density: those with a width say how large they are. A bare one is the image at density 1.
    private enum Merit: Comparable {
        case bare
        case density(Double)
        case width(Double)
    }

    private var best: [Candidate] = []

    var references: [String] { best.map(\.reference) }

    /// An `<img>`'s own come before a `<source>`'s of the same size: those are for browsers that know newer types.
    mutating func add(_ text: String, isOwn: Bool) {
        let bytes = text.utf8
        var index = bytes.startIndex
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }
        while true {
            index = bytes[index...].firstIndex { !isSpace($0) && $0 != UInt8(ascii: ",") } ?? bytes.endIndex
            guard index < bytes.endIndex else { return }
            let start = index
            index = bytes[index...].firstIndex(where: isSpace) ?? bytes.endIndex
            var end = index
            while bytes[bytes.index(before: end)] == UInt8(ascii: ",") { end = bytes.index(before: end) }
            guard end == index else {
                // The commas that end a URL end its candidate.
                keep(bytes[start..<end], .bare, isOwn)
                continue
            }
            let descriptors = index
            var depth = 0
            while index < bytes.endIndex, depth > 0 || bytes[index] != UInt8(ascii: ",") {
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
                index = bytes.index(after: index)
            }
            keep(bytes[start..<end], Self.merit(bytes[descriptors..<index]), isOwn)
        }
    }

    private static func merit(_ descriptors: Substring.UTF8View) -> Merit {
        for word in Substring(descriptors.prefix(100)).split(whereSeparator: \.isWhitespace) {
            guard let number = Double(word.dropLast()), number.isFinite, number > 0 else { continue }
            if word.hasSuffix("w") { return .width(number) }
            if word.hasSuffix("x") { return .density(number) }
        }
        return .bare
    }

    private mutating func keep(_ reference: Substring.UTF8View, _ merit: Merit, _ isOwn: Bool) {
        func isBehind(_ other: Candidate) -> Bool { other.merit == merit ? other.isOwn || !isOwn : other.merit > merit }
        let place = best.lastIndex(where: isBehind).map { $0 + 1 } ?? 0
        StepCounter.add(reference.count)
        let isKnown = best.contains { $0.reference.utf8.elementsEqual(reference) }
        guard place < NamedImage.mostAddresses, !isKnown else { return }
        let kept = NamedImage.Address.shortened(String(Substring(reference)))
        best.insert(Candidate(reference: kept, merit: merit, isOwn: isOwn), at: place)
        if best.count > NamedImage.mostAddresses { best.removeLast() }
    }
}
