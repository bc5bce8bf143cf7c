internal import Glibc

/// The files in `fixtures/`, found relative to this source file.
package enum Fixtures {
    package struct Unreadable: Error {
        package let path: String
        package let code: Int32
    }

    package static let directory: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/") + "/fixtures"
    }()

    package static func bytes(_ name: String) throws -> [UInt8] {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "r") else { throw Unreadable(path: path, code: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    package static func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    /// Returns the sorted names in a directory that end in `suffix`, without the suffix; an empty list if there is no
    /// such directory.
    package static func names(in name: String, suffix: String) -> [String] {
        guard let directory = opendir("\(directory)/\(name)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name.hasSuffix(suffix) { names.append(String(name.dropLast(suffix.count))) }
        }
        return names.sorted()
    }
}
