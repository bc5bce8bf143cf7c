internal import Glibc

/// Scans the tags of a text before libxml2 reads them.
///
/// libxml2 compares each attribute of a tag with all earlier ones: a tag of a hundred thousand attributes takes
/// minutes, and libxml2 reports a tag only after reading all of it.
struct TagScanner {
    private enum State {
        case tag, gap, name, named, assigned, value
    }

    /// The longest tag that is read: libxml2 holds several copies of a tag and its values in memory.
    private static let longestTag = 16 << 20

    private let bytes: UnsafeBufferPointer<UInt8>
    private let isHTML: Bool
    private var index: Int
    /// The number of attributes in the current tag.
    private var attributes = 0
    /// Whether the current tag ends in a slash.
    private var isEmpty = false

    private init(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isHTML: Bool) {
        self.bytes = bytes
        self.isHTML = isHTML
        index = start
    }

    /// Returns where reading an HTML text must end: at the first tag that is cut off, has more attributes than `most`,
    /// or is too long.
    ///
    /// `excess` is the reason for the last two.
    static func end(
        ofHTML bytes: UnsafeBufferPointer<UInt8>, most: Int
    ) -> (offset: Int, excess: String?)? {
        var scanner = TagScanner(bytes, from: 0, isHTML: true)
        while let start = scanner.nextTag() {
            if scanner.begins(with: "!--") {
                scanner.skip(behind: "-->", or: "--!>", from: start + 4)
            } else if scanner.begins(with: "/") || scanner.begins(with: "?") {
                scanner.skip(behind: ">", from: start)
            } else if scanner.beginsName {
                let (isScript, isStyle) = (scanner.isAt(name: "script"), scanner.isAt(name: "style"))
                let isWhole = scanner.skipTag()
                let excess = scanner.excess(ofTagFrom: start, most: most)
                if excess != nil || !isWhole { return (start, excess) }
                if scanner.isEmpty { continue }
                if isScript { scanner.skip(behind: "</script", from: scanner.index) }
                if isStyle { scanner.skip(behind: "</style", from: scanner.index) }
            }
        }
        return nil
    }

    /// The result of scanning an XML document before libxml2 reads it.
    struct XMLOutline {
        /// The offset of the root element; nil for a document without an element.
        var root: Int?
        /// The offset of the first tag with too many attributes or of excessive length, and the reason.
        var stop: (offset: Int, excess: String)?
        /// The offsets at which a long CDATA section is split: libxml2 holds a section in memory until its end.
        var breaks: [Int] = []

        fileprivate static let longestSection = 1 << 20
    }

    /// Scans an XML document, up to the first tag that is too long or has more attributes than `most`.
    ///
    /// In another encoding than UTF-8, each byte is a character.
    static func outline(
        ofXML bytes: UnsafeBufferPointer<UInt8>, from start: Int, most: Int, isUTF8: Bool
    ) -> XMLOutline {
        var outline = XMLOutline()
        var scanner = TagScanner(bytes, from: start, isHTML: false)
        while let start = scanner.nextTag() {
            if scanner.begins(with: "!--") {
                scanner.skip(behind: "-->", from: start + 4)
            } else if scanner.begins(with: "![CDATA[") {
                scanner.skip(behind: "]]>", from: start)
                outline.breaks += scanner.breaks(ofSectionFrom: start, isUTF8: isUTF8)
            } else if scanner.begins(with: "?") {
                scanner.skip(behind: "?>", from: start)
            } else if scanner.begins(with: "!") {
                _ = scanner.skipTag()
            } else {
                if outline.root == nil, scanner.beginsName { outline.root = start }
                _ = scanner.skipTag()
                if let excess = scanner.excess(ofTagFrom: start, most: most) {
                    outline.stop = (start, excess)
                    return outline
                }
            }
        }
        return outline
    }

    /// Returns where to split the CDATA section that ends here: between characters, and before its end.
    private func breaks(ofSectionFrom start: Int, isUTF8: Bool) -> [Int] {
        stride(from: start + XMLOutline.longestSection, to: index - 16, by: XMLOutline.longestSection).map { offset in
            var offset = offset
            while isUTF8, offset < index - 8, bytes[offset] & 0b1100_0000 == 0b1000_0000 { offset += 1 }
            return offset
        }
    }

    /// Returns why the tag that ends here is rejected, or nil.
    private func excess(ofTagFrom start: Int, most: Int) -> String? {
        if attributes > most { return "more than \(most) attributes" }
        return index - start > Self.longestTag ? "more than \(Self.longestTag >> 20) MB" : nil
    }

    // MARK: Steps

    private func find(_ byte: UInt8) -> Int? {
        guard index < bytes.count, let start = bytes.baseAddress,
            let found = memchr(start + index, CInt(byte), bytes.count - index)
        else { return nil }
        StepCounter.add(UnsafeRawPointer(found) - UnsafeRawPointer(start) - index)
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// Moves behind the next `<`, and returns its offset.
    private mutating func nextTag() -> Int? {
        guard let start = find(UInt8(ascii: "<")) else { return nil }
        index = start + 1
        return start
    }

    /// Returns whether the text at the index begins with `text`, which is in lower case.
    ///
    /// In HTML, case is ignored.
    private func begins(with text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount <= bytes.count - index else { return false }
        for offset in 0..<text.utf8CodeUnitCount {
            let (byte, wanted) = (bytes[index + offset], text.utf8Start[offset])
            guard byte == wanted || isHTML && byte | 0x20 == wanted else { return false }
        }
        return true
    }

    private func isAt(name: StaticString) -> Bool {
        guard begins(with: name) else { return false }
        let end = index + name.utf8CodeUnitCount
        return end == bytes.count || bytes[end] <= 0x20 || bytes[end] == UInt8(ascii: ">")
            || bytes[end] == UInt8(ascii: "/")
    }

    private var beginsName: Bool {
        guard index < bytes.count else { return false }
        return (0x61...0x7A).contains(bytes[index] | 0x20) || bytes[index] == UInt8(ascii: "_")
            || bytes[index] == UInt8(ascii: ":") || bytes[index] >= 0x80 && !isHTML
    }

    /// Moves behind the first occurrence of either mark, or to the end of the text.
    ///
    /// Both marks begin with the same byte.
    private mutating func skip(behind mark: StaticString, or other: StaticString? = nil, from start: Int) {
        index = min(start, bytes.count)
        while let found = find(mark.utf8Start[0]) {
            index = found
            if begins(with: mark) || other.map(begins) == true {
                index += mark.utf8CodeUnitCount
                return
            }
            index += 1
        }
        index = bytes.count
    }

    /// Moves behind the current tag, and returns whether it ends.
    ///
    /// In HTML, a quote opens a value only after an equals sign; in XML, a quote in a tag always does.
    private mutating func skipTag() -> Bool {
        attributes = 0
        let start = index
        defer { StepCounter.add(index - start) }
        var state = State.tag
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch (byte, state) {
            case (UInt8(ascii: ">"), _):
                isEmpty = bytes[index - 2] == UInt8(ascii: "/") && state != .value
                return true
            case (UInt8(ascii: "<"), _) where !isHTML:
                index -= 1
                return true
            case (UInt8(ascii: "\""), _) where !isHTML || state == .assigned,
                (UInt8(ascii: "'"), _) where !isHTML || state == .assigned:
                guard let end = find(byte) else { return false }
                index = end + 1
                state = .gap
            case (0...0x20, .name): state = .named
            case (0...0x20, .tag), (0...0x20, .value): state = .gap
            case (0...0x20, _): break
            case (UInt8(ascii: "="), .name), (UInt8(ascii: "="), .named): state = .assigned
            case (_, .gap), (_, .named):
                attributes += 1
                state = byte == UInt8(ascii: "=") ? .value : .name
            case (_, .assigned): state = .value
            case (_, .tag), (_, .name), (_, .value): break
            }
        }
        return false
    }
}
