extension Sequence<UInt8> {
    /// Tells bytes apart by a number that is the same on every machine and in every run. Who makes two that agree in it
    /// harms themselves.
    package var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
