internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Files to be deleted. Of those that can't be the first is told, beside what became of the others.
struct FileRemoval {
    private struct Leftover {
        let name: [CChar]
        let directory: Descriptor
        let isImage: Bool
    }

    private var leftovers: [Leftover] = []
    /// How many files with names of images are gone, or would be; and the bytes of all files that are.
    private(set) var imageCount = 0
    private(set) var bytesFreed: Int64 = 0
    private(set) var failure: FeedError?

    var isEmpty: Bool { leftovers.isEmpty && failure == nil }

    mutating func add(_ image: Digest, in directory: Descriptor) {
        leftovers.append(Leftover(name: Array(image.hex.utf8CString), directory: directory, isImage: true))
    }

    /// In the directory of images, a file with a name like theirs is one.
    mutating func add(
        all directory: Descriptor, ofImages: Bool, besides isKept: (UnsafePointer<CChar>) -> Bool = { _ in false }
    ) {
        do throws(SystemError) {
            try directory.forEachEntry { name, type throws(SystemError) in
                guard !isKept(name) else { return }
                let mayBeFile = [DT_REG, DT_UNKNOWN].contains { type == UInt8($0) }
                let isImage = ofImages && mayBeFile && Digest(hex: String(cString: name)) != nil
                leftovers.append(Leftover(name: Descriptor.copy(name), directory: directory, isImage: isImage))
            }
        } catch {
            failure = error.feedError(.failed)
        }
    }

    mutating func remove() {
        take { file throws(SystemError) in try file.directory.removeAll(file.name) }
        leftovers = []
    }

    mutating func measure() { take { file throws(SystemError) in try file.directory.size(of: file.name) } }

    private mutating func take(_ work: (Leftover) throws(SystemError) -> Int64) {
        guard failure == nil else { return }
        for file in leftovers {
            do throws(SystemError) {
                bytesFreed += try work(file)
                if file.isImage { imageCount += 1 }
            } catch {
                failure = failure ?? error.feedError(.failed)
            }
        }
    }
}
