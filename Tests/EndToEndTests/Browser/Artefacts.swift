import Glibc
import TestSupport

/// Files that tests leave for people to look at, in `.build/artefacts`.
enum Artefacts {
    static func keep(_ bytes: [UInt8], as name: String) throws {
        let root = Fixtures.directory.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let directory = "\(root)/.build/artefacts"
        mkdir("\(root)/.build", 0o755)
        mkdir(directory, 0o755)
        guard let file = fopen("\(directory)/\(name)", "w") else {
            throw SystemFailure.last("open \(directory)/\(name)")
        }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
}

enum Base64 {
    /// Writes a well-formed text.
    static func decode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits = 0
        var buffer = 0
        for letter in text.utf8 where letter != UInt8(ascii: "=") {
            let value =
                switch letter {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
                case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
                case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
                case UInt8(ascii: "+"): 62
                default: 63
                } as UInt8
            buffer = (buffer << 6 | Int(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return bytes
    }
}
