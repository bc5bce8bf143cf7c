internal import FeedCore

/// Which picture an address is of, as far as it tells: addresses with the same key are of one picture.
struct PictureIdentity {
    /// An address without a mark is of the picture as it was made.
    private static let whole = 1e9

    let key: String
    /// Its width, or what comes near it: only good for telling which of two is the larger.
    let size: Double

    init(of url: ResourceURL) {
        let start = url.text.utf8.index(url.text.startIndex, offsetBy: url.scheme.rawValue.utf8.count + 3)
        var parts = AddressParts(url.text[start...])
        var size: Double?
        for mark in SizeMark.table {
            guard let said = mark.take(&parts) else { continue }
            size = min(size ?? said, said)
        }
        key = parts.text
        self.size = size ?? Self.whole
    }

    /// The key, less the sides that the feed states: of pictures that differ in their sides alone, it is the same.
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
