internal import Glibc

extension Descriptor {
    package func forEachName(_ visit: (UnsafePointer<CChar>) throws(SystemError) -> Void) throws(SystemError) {
        try forEachEntry { name, _ throws(SystemError) in try visit(name) }
    }

    package func isEmpty() throws(SystemError) -> Bool {
        var isEmpty = true
        try forEachName { _ throws(SystemError) in isEmpty = false }
        return isEmpty
    }

    /// Bytes of everything under a name. Nothing is followed: a link counts and goes as a link.
    package func size(of name: UnsafePointer<CChar>) throws(SystemError) -> Int64 {
        guard let status = try status(of: name) else { return 0 }
        guard status.isDirectory else { return Int64(status.st_size) }
        let inner = try directory(name)
        var total: Int64 = 0
        try inner.forEachName { name throws(SystemError) in total += try inner.size(of: name) }
        return total
    }

    /// Deletes everything under a name, and answers how many bytes that was.
    @discardableResult
    package func removeAll(_ name: UnsafePointer<CChar>) throws(SystemError) -> Int64 {
        guard let status = try status(of: name) else { return 0 }
        var freed: Int64 = 0
        if status.isDirectory {
            freed = try directory(name).removeContents()
        } else {
            freed = Int64(status.st_size)
        }
        guard unlinkat(number, name, status.isDirectory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT else {
            throw SystemError("can't be deleted", "\(path)/\(String(cString: name))")
        }
        return freed
    }

    @discardableResult
    package func removeContents() throws(SystemError) -> Int64 {
        var names: [[CChar]] = []
        try forEachName { name throws(SystemError) in names.append(Self.copy(name)) }
        var freed: Int64 = 0
        for name in names { freed += try removeAll(name) }
        return freed
    }

    package static func copy(_ name: UnsafePointer<CChar>) -> [CChar] {
        Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
    }
}
