extension Duration {
    /// To the microsecond.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        // Divided once, so that the number is the one nearest to its digits.
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000_000
    }
}
