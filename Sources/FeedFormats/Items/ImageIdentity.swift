internal import FeedCore

/// The identity of the image behind a URL, as far as the URL shows it: URLs with the same key lead to the same image.
struct ImageIdentity {
    /// The size of a URL without a size mark, which leads to the original image.
    private static let whole = 1e9

    let key: String
    /// The width or a value near it, which is meaningful only in comparisons.
    let size: Double

    init(of url: ResourceURL) {
        let start = url.text.utf8.index(url.text.startIndex, offsetBy: url.scheme.rawValue.utf8.count + 3)
        guard Self.mayBeMarked(url.text.utf8[start...]) else {
            (key, size) = (String(url.text[start...]), Self.whole)
            return
        }
        var parts = ImageURLParts(url.text[start...])
        var size: Double?
        for mark in SizeMark.table {
            guard let marked = mark.take(&parts) else { continue }
            size = min(size ?? marked, marked)
        }
        key = parts.text
        self.size = size ?? Self.whole
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

    /// Returns the key without the sides that the feed states. It is the same for images that differ only in their
    /// sides.
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
