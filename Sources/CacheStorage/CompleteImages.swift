internal import Hashing
internal import Synchronization

/// Images in memory that are complete, until there are enough of them to be hashed side by side. Then they are hashed and
/// written by whoever brings the last of them, while they are in the processor's cache still.
final class CompleteImages: Sendable {
    /// On many lanes, so many of the usual size are as much as that cache holds; with fewer, one that is longer than the
    /// others leaves more lanes with nothing to hash. One by one or in pairs, fewer are closer to the processor.
    static let atOnce =
        switch ManyDigests.Width.best {
        case .one, .two: 8
        case .eight, .sixteen: 64
        }

    private let waiting = Mutex<[StagedFile]>([])

    func add(_ image: StagedFile) {
        let images = waiting.withLock { waiting -> [StagedFile] in
            waiting.append(image)
            return waiting.count < Self.atOnce ? [] : Self.take(&waiting)
        }
        StagedFile.write(images)
    }

    /// Does it for those that wait, however few they are.
    func finish() { StagedFile.write(waiting.withLock { Self.take(&$0) }) }

    private static func take(_ waiting: inout [StagedFile]) -> [StagedFile] {
        defer { waiting = [] }
        return waiting
    }
}
