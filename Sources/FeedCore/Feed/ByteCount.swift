package enum ByteCount {
    package static let units: [(suffix: String, shift: Int)] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)]

    /// Exact, in the largest power of 1024 that it is a multiple of: as an option's value is written.
    package static func value(_ bytes: Int64) -> String {
        let unit = units.first { bytes >= 1 << $0.shift && bytes % (1 << $0.shift) == 0 }
        return unit.map { "\(bytes >> $0.shift)\($0.suffix)" } ?? "\(bytes)"
    }

    /// The same for a message: it's meant to be recognised as the option's value.
    package static func text(_ bytes: Int64) -> String {
        if bytes < 1 << 10 || bytes % (1 << 10) != 0 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        return value(bytes)
    }
}
