import Glibc
import SystemFiles

/// The descriptors that were handed on to the program: those that are open before it opens any. Not all that libraries
/// open later closes by itself at an exec, which would tell it from these.
enum HandedOnDescriptors {
    /// To be asked for first of all.
    static let all = list()

    private static func list() -> Set<Int32> {
        var numbers: Set<Int32> = []
        do {
            try Descriptor.folder(at: "/proc/self/fd").forEachEntry { name, _ in
                if let number = Int32(String(cString: name)) { numbers.insert(number) }
            }
        } catch {
            // That /proc can't be read is told by who needs it for more (see `Requirements`).
            return []
        }
        // Less those that the listing itself had open.
        return numbers.filter { fcntl($0, F_GETFD) >= 0 }
    }
}
