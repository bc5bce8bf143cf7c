internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Where images gather while they come in.
final class Staging: Sendable {
    /// Files go to disk side by side: one after another, they would wait for the disk one by one.
    static let syncingThreads = 12

    let directory: Descriptor
    /// Waits until a file is on disk.
    private let synchronise: @Sendable (Descriptor) throws(SystemError) -> Void
    private let names = Atomic<UInt64>(0)
    private let exhausted = Mutex<FeedError?>(nil)

    init(
        _ directory: Descriptor,
        synchronise: @escaping @Sendable (Descriptor) throws(SystemError) -> Void = { file throws(SystemError) in
            try file.synchronise()
        }
    ) {
        self.directory = directory
        self.synchronise = synchronise
    }

    /// A new, empty file that nobody else can write to. Names left over from a killed run are passed by.
    func makeFile() throws(SystemError) -> (name: String, Descriptor) {
        while true {
            let name = String(names.wrappingAdd(1, ordering: .relaxed).oldValue)
            do {
                return (name, try directory.open(name, O_RDWR | O_CREAT | O_EXCL, mode: ImageFile.mode))
            } catch let error where error.code == EEXIST {
                continue
            }
        }
    }

    /// Returns when a file is on disk, with the mode and the owner that it is to have.
    func makeDurable(_ file: Descriptor) throws(SystemError) {
        try directory.giveOwner(to: file)
        // A umask may have taken some of the mode.
        if try file.status().st_mode & 0o777 != ImageFile.mode, fchmod(file.number, ImageFile.mode) != 0 {
            throw SystemError("can't be made readable", file.path)
        }
        try synchronise(file)
    }

    /// A full disk is the store's failure, though it is met with one image.
    func failure(_ error: SystemError) -> FeedError {
        if error.isFullDisk { storeFailure(error) } else { error.feedError(.failed) }
    }

    /// Whatever else stands in the way of writing is the store's failure too: the next image would meet it. A limit on the
    /// size of a file, or on how many are open, is not.
    func writeFailure(_ error: SystemError) -> FeedError {
        [EFBIG, EMFILE, ENFILE].contains(error.code) ? error.feedError(.limited) : storeFailure(error)
    }

    private func storeFailure(_ error: SystemError) -> FeedError {
        let failure = error.feedError(.failed)
        exhaust(failure)
        return failure
    }

    /// Nothing more can be stored.
    func exhaust(_ failure: FeedError) { exhausted.withLock { $0 = failure } }

    var exhaustion: FeedError? { exhausted.withLock { $0 } }
}
