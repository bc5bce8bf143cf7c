internal import FeedCore
internal import Glibc

package enum RealPath {
    /// Returns the path with every symbolic link resolved, or nil if the path can't be resolved; `errno` then has the
    /// reason.
    ///
    /// Throws if the result differs from UTF-8, because a repaired string would be another path. `given` is the path
    /// for the message.
    package static func of(_ path: String, in given: String? = nil) throws(SystemError) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            throw SystemError(EILSEQ, "its full path is not UTF-8 text", given ?? path)
        }
        return text
    }

    /// Returns the resolved path, or nil if the path is missing or differs from UTF-8.
    package static func found(_ path: String) -> String? {
        do { return try of(path) } catch { return nil }
    }
}

/// A path whose symbolic links are resolved.
///
/// Its last directories may be missing.
package struct Destination {
    /// The existing part of the path, which is empty for the root.
    private let existing: String
    /// The path for messages.
    private let given: String
    /// The names of the missing directories below `existing`.
    private let missing: [Substring]

    package init(_ path: String) throws(SystemError) {
        given = path
        var names = FilePath.names(in: path).filter { $0 != "." }
        var missing: [Substring] = []
        while true {
            let part = (FilePath.isAbsolute(path) ? "/" : "") + names.joined(separator: "/")
            if let resolved = try RealPath.of(part.isEmpty ? "." : part, in: path) {
                existing = resolved == "/" ? "" : resolved
                break
            }
            guard errno == ENOENT, let name = names.popLast(), name != ".." else {
                throw SystemError("can't be reached", path)
            }
            missing.append(name)
        }
        self.missing = missing.reversed()
    }

    /// Throws if the cache contains this path or this path contains the cache: a cache deletes unknown files as
    /// leftovers.
    package func requireApart(from cache: String) throws(SystemError) {
        let other = try Destination(cache)
        guard !lies(in: other) else {
            throw SystemError(EEXIST, "belongs to the cache, \(cache); give a directory elsewhere", given)
        }
        guard !other.lies(in: self) else {
            throw SystemError(ENOTEMPTY, "holds the cache, \(cache); give a directory elsewhere", given)
        }
    }

    package var path: String { text.isEmpty ? "/" : text }

    private var text: String { existing + missing.map { "/\($0)" }.joined() }

    /// Returns whether the path is that directory or lies below it.
    private func lies(in directory: Destination) -> Bool { "\(text)/".utf8.starts(with: "\(directory.text)/".utf8) }

    package func makeDirectoriesAbove() throws(SystemError) {
        var path = existing
        for name in missing.dropLast() {
            path += "/\(name)"
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("can't be created", path) }
        }
    }
}
