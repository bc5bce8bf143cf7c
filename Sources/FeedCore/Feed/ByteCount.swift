package enum ByteCount {
    /// Exact, in the largest power of 1024 that it is a multiple of: it's meant to be recognised as the option's value.
    package static func text(_ bytes: Int64) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] as [(String, Int64)] {
            let size: Int64 = 1 << shift
            if bytes >= size, bytes % size == 0 { return "\(bytes / size)\(unit)" }
        }
        return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }
}
