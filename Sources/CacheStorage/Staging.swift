internal import FeedCore
internal import Glibc
internal import Synchronization

/// Where images gather while they come in.
final class Staging: Sendable {
    /// Files go to disk side by side: one after another, they would wait for the disk one by one.
    static let syncingThreads = 12

    let folder: Descriptor
    /// Waits until a file is on disk.
    private let synchronise: @Sendable (Descriptor) throws(SystemError) -> Void
    private let names = Atomic<UInt64>(0)
    private let fullDisk = Mutex<FeedError?>(nil)

    init(
        _ folder: Descriptor,
        synchronise: @escaping @Sendable (Descriptor) throws(SystemError) -> Void = { file throws(SystemError) in
            try file.synchronise()
        }
    ) {
        self.folder = folder
        self.synchronise = synchronise
    }

    /// A new, empty file that nobody else can write to. Names left over from a killed run are passed by.
    func makeFile() throws(SystemError) -> (name: String, Descriptor) {
        while true {
            let name = String(names.wrappingAdd(1, ordering: .relaxed).oldValue)
            do {
                return (name, try folder.open(name, O_RDWR | O_CREAT | O_EXCL, mode: ImageFile.mode))
            } catch let error where error.code == EEXIST {
                continue
            }
        }
    }

    /// Returns when a file is on disk.
    func makeDurable(_ file: Descriptor) throws(SystemError) { try synchronise(file) }

    /// A full disk is the store's failure, though it is met while writing one image.
    func failure(_ error: SystemError) -> FeedError {
        let failure = error.feedError(.failed)
        if error.isFullDisk { fullDisk.withLock { $0 = failure } }
        return failure
    }

    var exhaustion: FeedError? { fullDisk.withLock { $0 } }
}
