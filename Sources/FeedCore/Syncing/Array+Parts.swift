extension Array {
    /// So many elements at a time; the last part may have fewer.
    func parts(of size: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: size).lazy.map { self[$0..<Swift.min($0 + size, count)] }
    }
}
