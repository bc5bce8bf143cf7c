internal import Glibc
@_spi(_Unicode) internal import Swift

/// The words of a search, and which of them the texts of an image contain.
///
/// Case and accents are ignored.
package struct SearchWords {
    private var folder = TextFolder()
    private let words: [[UInt8]]
    /// Whether the title of the feed contains each word.
    private var isInTitle: [Bool]
    /// Whether the title of the feed or a text of the image contains each word.
    private var isFound: [Bool]
    private var missing: Int

    package init(_ words: [String]) {
        var folder = TextFolder()
        self.words = words.map { word in
            var word = word
            return word.withUTF8 { folder.withFolded($0) { Array($0) } }
        }
        isInTitle = Array(repeating: false, count: words.count)
        isFound = isInTitle
        missing = words.count
    }

    /// Begins a feed, whose title counts for each of its images.
    package mutating func beginFeed(titled title: String?) {
        isInTitle = Array(repeating: false, count: words.count)
        beginImage()
        if var title { title.withUTF8 { look(in: $0) } }
        isInTitle = isFound
    }

    /// Begins an image of the feed.
    package mutating func beginImage() {
        isFound = isInTitle
        missing = isFound.count { !$0 }
    }

    /// Looks for the missing words in a text of the image, which is UTF-8.
    package mutating func look(in text: UnsafeBufferPointer<UInt8>) {
        guard missing > 0, !text.isEmpty else { return }
        folder.withFolded(text) { folded in
            for index in words.indices where !isFound[index] && Self.contains(words[index], in: folded) {
                isFound[index] = true
                missing -= 1
            }
        }
    }

    /// Whether each word was found.
    package var isComplete: Bool { missing == 0 }

    private static func contains(_ word: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = word.first else { return true }
        guard let base = text.baseAddress else { return false }
        var start = 0
        while case let room = text.count - start - word.count, room >= 0,
            let candidate = memchr(base + start, Int32(first), room + 1)
        {
            if memcmp(candidate, word, word.count) == 0 { return true }
            start = base.distance(to: candidate) + 1
        }
        return false
    }
}

/// Writes texts in small letters and without accents, so that they can be compared.
///
/// It remembers the form of each character, because a search reads millions of texts.
private struct TextFolder {
    /// The end and the length of each folded character in `known`, as one number; 0 for an unknown one.
    private var slots: [UInt32] = []
    private var known: [UInt8] = []
    /// The last folded ASCII text, and bytes of longer ones behind it.
    private var plain: [UInt8] = []
    private var folded: [UInt8] = []

    /// Passes the folded text to `use`.
    mutating func withFolded<Outcome>(
        _ text: UnsafeBufferPointer<UInt8>, _ use: (UnsafeRawBufferPointer) -> Outcome
    ) -> Outcome {
        if plain.count < text.count { plain = Array(repeating: 0, count: 2 * text.count) }
        var all: UInt8 = 0
        plain.withUnsafeMutableBufferPointer { plain in
            for index in text.indices {
                plain[index] = Self.small(text[index])
                all |= text[index]
            }
        }
        if all < 0x80 { return plain.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[..<text.count])) } }
        foldCharacters(of: text)
        return folded.withUnsafeBytes(use)
    }

    /// Folds a text that is not ASCII, whose ASCII bytes `plain` has already.
    private mutating func foldCharacters(of text: UnsafeBufferPointer<UInt8>) {
        folded.removeAll(keepingCapacity: true)
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex { $0 >= 0x80 } ?? rest.endIndex
            folded += plain[rest.startIndex..<end]
            let next = rest[end...].firstIndex { $0 < 0x80 } ?? rest.endIndex
            for scalar in String(decoding: rest[end..<next], as: UTF8.self).unicodeScalars {
                if scalar.value > 0xFFFF { folded += Self.folded(scalar) } else { append(scalar) }
            }
            rest = rest[next...]
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if slots.isEmpty { slots = Array(repeating: 0, count: 0x10000) }
        let index = Int(scalar.value)
        if slots[index] == 0 {
            let bytes = Self.folded(scalar)
            known += bytes
            slots[index] = UInt32(known.count) << 8 | UInt32(bytes.count) + 1
        }
        let (end, count) = (Int(slots[index] >> 8), Int(slots[index] & 0xFF) - 1)
        folded += known[end - count..<end]
    }

    /// Returns the decomposed small letters of a character, without its marks.
    ///
    /// Capital letters come in between, because ß and SS are equal, and so are the two small sigmas.
    private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
        var kept = String.UnicodeScalarView()
        for part in String(scalar).lowercased().uppercased().lowercased()._nfd where !part.isMark { kept.append(part) }
        return Array(String(kept).utf8)
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
