extension RandomAccessCollection where Index == Int, SubSequence == ArraySlice<Element> {
    /// So many elements at a time; the last part may have fewer.
    func parts(of size: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: startIndex, to: endIndex, by: size).lazy.map { self[$0..<Swift.min($0 + size, endIndex)] }
    }
}
