internal import Glibc

/// libarchive takes names for what the thread's locale has: in the C locale it would warn of an owner's name that is
/// beyond ASCII when reading, and convert each name when writing.
enum NamesInUTF8 {
    /// Never freed, as any thread may just be using it. Unsafe: made once, and never changed.
    private nonisolated(unsafe) static let locale = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)

    /// While `work` runs, in this thread, names are in UTF-8.
    static func during<Outcome, Failure>(_ work: () throws(Failure) -> Outcome) throws(Failure) -> Outcome {
        guard let locale else { return try work() }
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return try work()
    }
}
