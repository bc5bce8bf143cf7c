internal import FeedCore
internal import Glibc
internal import SystemFiles

/// A path with every link in it followed. Its last folders need not exist yet.
struct Destination {
    /// The part that exists; empty for the root.
    private let existing: String
    /// The names below that.
    private let missing: [Substring]

    init(_ path: String) throws(SystemError) {
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

    var path: String { text.isEmpty ? "/" : text }

    private var text: String { existing + missing.map { "/\($0)" }.joined() }

    /// Whether it is this folder, or one at any depth in it.
    func lies(in folder: Destination) -> Bool { "\(text)/".utf8.starts(with: "\(folder.text)/".utf8) }

    func makeFoldersAbove() throws(SystemError) {
        var path = existing
        for name in missing.dropLast() {
            path += "/\(name)"
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("can't be created", path) }
        }
    }

    /// A hidden name in the same folder.
    func hiddenSibling(_ ending: String) -> String {
        let names = FilePath.names(in: text)
        return names.dropLast().map { "/\($0)" }.joined() + "/.\(names.last ?? "")\(ending)"
    }
}
