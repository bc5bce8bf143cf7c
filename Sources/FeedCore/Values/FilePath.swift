/// Operations on paths.
///
/// They work on bytes, because a `Character` joins a slash with a combining accent after it.
package enum FilePath {
    private static let slash = UInt8(ascii: "/")

    package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == slash }

    /// Returns the absolute path of a path that is relative to a directory.
    package static func absolute(_ path: String, in directory: String) -> String {
        isAbsolute(path) ? path : "\(directory)/\(path)"
    }

    /// Returns the names in a path.
    package static func names(in path: String) -> [Substring] {
        path.utf8.split(separator: slash).map { Substring($0) }
    }

    /// Returns an absolute path without `.`, `..` and doubled slashes.
    ///
    /// It looks at the text only, not at the file system.
    package static func normalised(_ path: String) -> String {
        var names: [Substring] = []
        for name in self.names(in: path) where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }

    /// Returns the path before the last name; nil if the path is one name.
    package static func directory(of path: String) -> String? {
        path.utf8.lastIndex(of: slash).map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    }

    /// The path of each directory that leads to it, the outermost first, and the path itself.
    package static func steps(to path: String) -> [String] {
        names(in: path).map { String(path[..<$0.endIndex]) }
    }
}
