import Glibc

/// The descriptors that were handed on to the program: those that are open before it opens any. Not all that libraries
/// open later closes by itself at an exec, which would tell it from these.
enum HandedOnDescriptors {
    /// To be asked for first of all.
    static let all = list()

    private static func list() -> Set<Int32> {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var numbers: Set<Int32> = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if let number = Int32(name), number != dirfd(folder) { numbers.insert(number) }
        }
        return numbers
    }
}
