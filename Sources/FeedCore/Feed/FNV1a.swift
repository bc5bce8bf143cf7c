extension Sequence<UInt8> {
    /// A hash of the bytes that is the same on every machine and in every run. It is used where equal hashes of
    /// different bytes do harm only to the author of the bytes.
    package var fnv1a: UInt64 { reduce(FNV1a.start, FNV1a.step) }
}

/// The same hash for bytes that come in parts.
package struct FNV1a: Sendable {
    fileprivate static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    package private(set) var value = start

    package init() {}

    package mutating func add(_ bytes: [UInt8]) {
        var value = value
        bytes.withUnsafeBufferPointer { for byte in $0 { value = Self.step(value, byte) } }
        self.value = value
    }

    fileprivate static func step(_ value: UInt64, _ byte: UInt8) -> UInt64 { (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
