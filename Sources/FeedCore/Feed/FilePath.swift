/// Paths of files, by their bytes: to `Character`, a slash before a combining accent is no slash.
package enum FilePath {
    private static let slash = UInt8(ascii: "/")

    package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == slash }

    /// The directory is where a relative path begins.
    package static func absolute(_ path: String, in directory: String) -> String {
        isAbsolute(path) ? path : "\(directory)/\(path)"
    }

    /// The names of directories and of what lies in the last of them.
    package static func names(in path: String) -> [Substring] {
        path.utf8.split(separator: slash).map { Substring($0) }
    }

    /// The one way to write an absolute path, by its text alone: `.`, `..` and doubled slashes go.
    package static func normalised(_ path: String) -> String {
        var names: [Substring] = []
        for name in self.names(in: path) where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }

    /// The path before the last name; nil for a name alone.
    package static func directory(of path: String) -> String? {
        path.utf8.lastIndex(of: slash).map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    }

    /// The path of each directory that leads to it, the outermost first, and the path itself.
    package static func steps(to path: String) -> [String] {
        names(in: path).map { String(path[..<$0.endIndex]) }
    }
}
