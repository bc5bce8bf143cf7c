internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Where a path leads, with no link in it. The end of it may not be there yet.
struct Destination {
    /// The part that is there; empty for the root.
    private let existing: String
    /// Names below that.
    private let missing: [String]

    init(_ path: String) throws(SystemError) {
        // By bytes: a slash and an accent behind it are one character.
        var names = path.utf8.split(separator: Self.slash).map { String(Substring($0)) }.filter { $0 != "." }
        var missing: [String] = []
        while true {
            let part = (path.utf8.first == Self.slash ? "/" : "") + names.joined(separator: "/")
            if let resolved = try Self.resolve(part.isEmpty ? "." : part, in: path) {
                existing = resolved == "/" ? "" : resolved
                break
            }
            guard let name = names.popLast(), name != ".." else { throw SystemError("can't be reached", path) }
            guard try !Self.isLink(part) else { throw SystemError(ENOENT, "is a symbolic link to nothing", part) }
            missing.append(name)
        }
        self.missing = missing.reversed()
    }

    var path: String { text.isEmpty ? "/" : text }

    private var text: String { existing + missing.map { "/\($0)" }.joined() }

    /// Whether it is this folder, or one at any depth in it.
    func lies(in folder: Destination) -> Bool { "\(text)/".utf8.starts(with: "\(folder.text)/".utf8) }

    /// What is missing above it, as for the cache.
    func makeFoldersAbove() throws(SystemError) {
        var path = existing
        for name in missing.dropLast() {
            path += "/\(name)"
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("can't be created", path) }
        }
    }

    /// A path in the same folder.
    func sibling(_ name: (_ own: Substring) -> String) -> String {
        let path = self.path
        let start = path.utf8.lastIndex(of: Self.slash).map { path.utf8.index(after: $0) } ?? path.startIndex
        return path[..<start] + name(path[start...])
    }

    private static let slash = UInt8(ascii: "/")

    /// Nil if there is nothing there.
    private static func resolve(_ path: String, in given: String) throws(SystemError) -> String? {
        if let resolved = try RealPath.of(path, in: given) { return resolved }
        if errno == ENOENT { return nil }
        throw SystemError("can't be reached", path)
    }

    static func isLink(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return status.isLink }
        if errno == ENOENT { return false }
        throw SystemError("can't be examined", path)
    }
}
