internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The files that were given their place before their rows are saved.
struct PlacedFiles: Sendable {
    private let directory: Descriptor
    private var isAny = false
    /// Those whose place was empty before.
    private var new: [Digest] = []

    init(in directory: Descriptor) { self.directory = directory }

    /// `staged` is its name in `incoming`.
    mutating func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64
    ) throws(SystemError) {
        let placement = try ImageFile.place(staged, from: incoming, as: digest, size: size, in: directory)
        isAny = true
        if placement == .new { new.append(digest) }
    }

    /// Returns when their names are on disk: also that of one that was there before, or took another's place, may not be.
    func makeDurable() throws(FeedError) {
        if isAny { try attempt(.failed) { () throws(SystemError) in try directory.synchroniseWherePossible() } }
    }

    /// No row names them: on a full disk nothing else could give back the room they take. What can't be deleted now is
    /// when the next run looks for such.
    func takeBack(besides kept: Set<Digest> = []) {
        for digest in new where !kept.contains(digest) { unlinkat(directory.number, digest.hex, 0) }
    }
}
