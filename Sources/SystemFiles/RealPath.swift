internal import Glibc

package enum RealPath {
    /// The path with every symbolic link followed. Nil where there is nothing; `errno` says why. Throws where the result is
    /// not UTF-8, as a repaired one would be the path of something else; `given` is the path that the message names.
    package static func of(_ path: String, in given: String? = nil) throws(SystemError) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            throw SystemError(EILSEQ, "its full path is not UTF-8 text", given ?? path)
        }
        return text
    }

    /// Nil also where the path is not UTF-8.
    package static func found(_ path: String) -> String? {
        do { return try of(path) } catch { return nil }
    }
}
