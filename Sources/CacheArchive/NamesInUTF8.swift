internal import Glibc

/// While this lives, libarchive takes names in this thread for UTF-8: in the C locale it would warn of an owner's name
/// that is beyond ASCII when reading, and convert each name when writing.
final class NamesInUTF8 {
    private let own: locale_t?
    private let previous: locale_t?

    init() {
        own = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)
        previous = own.flatMap { uselocale($0) }
    }

    deinit {
        guard let own else { return }
        uselocale(previous)
        freelocale(own)
    }
}
