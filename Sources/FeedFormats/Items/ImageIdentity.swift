internal import FeedCore

/// The identity of the image behind a URL, as far as the URL shows it: URLs with the same key lead to the same image.
struct ImageIdentity {
    /// The size of a URL without a size mark, which leads to the original image.
    private static let whole = 1e9

    let key: String
    /// The width or a value near it, which is meaningful only in comparisons.
    private(set) var size: Double
    /// The key of the URL that ends this URL, or nil: servers that shrink images append the URL of the original.
    private(set) var originalKey: String?

    /// Whether the path states a size.
    private(set) var isShrunk = false

    init(of url: ResourceURL) {
        let start = url.text.utf8.index(url.text.startIndex, offsetBy: url.scheme.rawValue.utf8.count + 3)
        self.init(ofAddress: url.text[start...])
        if let original = Self.original(in: key) {
            originalKey = ImageIdentity(ofAddress: original[...]).key
            // The original is larger than what another server makes of it.
            size = min(size, ImageURLParts.unsized)
        }
    }

    /// Examines a URL without its scheme.
    private init(ofAddress address: Substring) {
        guard Self.mayBeMarked(address.utf8) else {
            (key, size) = (String(address), Self.whole)
            return
        }
        var parts = ImageURLParts(address)
        var size: Double?
        for mark in SizeMark.table {
            guard let marked = mark.take(&parts) else { continue }
            size = min(size ?? marked, marked)
            if mark.isInPath { isShrunk = true }
        }
        key = parts.text
        self.size = size ?? Self.whole
    }

    /// Returns the URL without its scheme that ends a key, plain or percent-encoded; nil if there is none.
    ///
    /// The last scheme begins it: servers may shrink what other servers have shrunk.
    private static func original(in key: String) -> String? {
        let bytes = key.utf8Span.span
        StepCounter.add(bytes.count)
        var index = bytes.count - 8
        while index >= 0 {
            if bytes[index] == UInt8(ascii: "h"), bytes[index + 1] == UInt8(ascii: "t"),
                bytes[index + 2] == UInt8(ascii: "t"), bytes[index + 3] == UInt8(ascii: "p")
            {
                return original(behind: key.utf8.dropFirst(index + 4))
            }
            index -= 1
        }
        return nil
    }

    private static func original(behind scheme: Substring.UTF8View) -> String? {
        let mark = scheme.first == UInt8(ascii: "s") ? scheme.dropFirst() : scheme
        if mark.starts(with: "://".utf8) { return String(Substring(mark.dropFirst(3))) }
        guard Substring(mark.prefix(9)).uppercased() == "%3A%2F%2F", !mark.contains(UInt8(ascii: "&")) else {
            return nil
        }
        return PercentEncoding.decode(mark.dropFirst(9))
    }

    /// Returns whether the URL has the characters of any size mark: most URLs have none, and splitting a URL takes
    /// time.
    private static func mayBeMarked(_ address: Substring.UTF8View) -> Bool {
        var (last, digits) = (UInt8(0), 0)
        for byte in address.drop(while: { $0 != UInt8(ascii: "/") }) {
            switch byte {
            case 0x30...0x39:
                digits += 1
                continue
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: "_"):
                return true
            // These follow the digits of `1024x683`, `300w` and `600px-`.
            case UInt8(ascii: "x") where digits > 1, UInt8(ascii: "w") where digits > 1,
                UInt8(ascii: "p") where digits > 1:
                return true
            // These end `/s640/` and `/w640-h480/`.
            case UInt8(ascii: "/") where digits > 1 && isSide(last), UInt8(ascii: "-") where digits > 1 && isSide(last):
                return true
            // This is the first letter of `-scaled`.
            case UInt8(ascii: "s") where digits == 0 && last == UInt8(ascii: "-"): return true
            default: break
            }
            (last, digits) = (byte, 0)
        }
        return false
    }

    private static func isSide(_ letter: UInt8) -> Bool {
        letter == UInt8(ascii: "s") || letter == UInt8(ascii: "w") || letter == UInt8(ascii: "h")
    }

    /// Returns the key without the sides that the feed states.
    ///
    /// It is the same for images that differ only in their sides.
    func key(without sides: [Double]) -> String {
        var text: [UInt8] = []
        var number: [UInt8] = []
        let stated = Set(sides.filter { $0 > 16 }.map { Array(String(Int($0)).utf8) })
        func end() {
            text += stated.contains(number) ? [UInt8(ascii: "#")] : number
            number = []
        }
        for byte in key.utf8 {
            if (0x30...0x39).contains(byte) {
                number.append(byte)
            } else {
                end()
                text.append(byte)
            }
        }
        end()
        return String(decoding: text, as: UTF8.self)
    }
}
