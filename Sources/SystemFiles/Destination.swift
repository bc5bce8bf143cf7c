internal import FeedCore
internal import Glibc

/// A path with every link in it followed. Its last directories need not exist yet.
package struct Destination {
    /// The part that exists; empty for the root.
    private let existing: String
    /// For messages.
    private let given: String
    /// The names below that.
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

    /// Throws unless this and the cache at that path lie apart: a cache takes what it doesn't know for its own leftovers.
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

    /// Whether it is this directory, or one at any depth in it.
    private func lies(in directory: Destination) -> Bool { "\(text)/".utf8.starts(with: "\(directory.text)/".utf8) }

    package func makeDirectoriesAbove() throws(SystemError) {
        var path = existing
        for name in missing.dropLast() {
            path += "/\(name)"
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("can't be created", path) }
        }
    }
}
