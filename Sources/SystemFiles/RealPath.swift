internal import Glibc

package enum RealPath {
    /// Where a path leads, with every symbolic link followed. Nil where nothing can be found there; `errno` says why.
    /// Throws where that is no text: mended, it would be the path of something else. `given` is the path to tell of, if this
    /// is a part of it.
    package static func of(_ path: String, in given: String? = nil) throws(SystemError) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            throw SystemError(EILSEQ, "its full path is not UTF-8 text", given ?? path)
        }
        return text
    }

    /// The same for whom nothing and what is no text are one.
    package static func found(_ path: String) -> String? {
        do { return try of(path) } catch { return nil }
    }
}
