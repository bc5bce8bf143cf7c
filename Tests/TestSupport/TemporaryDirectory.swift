import Glibc

/// A directory for one test.
///
/// It is deleted with its contents when it is released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Makes a directory, in memory where the system has a file system for that.
    package init(inMemory isInMemory: Bool = false) throws(SystemFailure) {
        let memory = "/dev/shm"
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = isInMemory && access(memory, W_OK) == 0 ? memory : usual
        var template = Array("\(parent)/feedsync-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last("mkdtemp in \(parent)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { Self.remove(path) }

    /// Returns the path of an entry, which may be missing.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes or replaces a file.
    ///
    /// Returns its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws(SystemFailure) -> String {
        let target = path(name)
        let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .last("open \(target)") }
        defer { close(descriptor) }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .last("write \(target)") }
            rest = rest.dropFirst(written)
        }
        return target
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws(SystemFailure) -> String {
        try write(text.utf8, to: name)
    }

    package func read(_ name: String) throws(SystemFailure) -> [UInt8] {
        guard let file = fopen(path(name), "r") else { throw .last("open \(path(name))") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    @discardableResult
    package func makeDirectory(_ name: String) throws(SystemFailure) -> String {
        let target = path(name)
        guard mkdir(target, 0o755) == 0 else { throw .last("mkdir \(target)") }
        return target
    }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A test may have removed its own permissions.
        chmod(path, 0o700)
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Returns the sorted names in a directory; an empty list if there is no such directory.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // The name is read in place, because the entry may be shorter than a copy of the longest name.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
