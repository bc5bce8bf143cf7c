internal import FeedCore
internal import SystemFiles

extension ImageDirectory {
    /// Keeps out whoever reads many images and relies on their staying: an export, a gallery. Nil: they are kept out
    /// already.
    func lockForDeleting() async throws(FeedError) -> Descriptor? {
        guard removalLock == nil else { return nil }
        return try await lockForDeleting(wait)
    }

    private func lockForDeleting(_ wait: LockWait) async throws(FeedError) -> Descriptor {
        guard staging != nil, let lock = try await directories.lockImages(.exclusive, wait, cache: path) else {
            throw readOnly
        }
        return lock
    }

    func letReadersIn() { removalLock = nil }

    func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool {
        do throws(FeedError) {
            let wait = waiting ? wait : LockWait(limit: .zero, sleeping: wait.sleeping)
            removalLock = try await lockForDeleting(wait)
            return true
        } catch let error where !waiting && error.kind == .storage(.locked) {
            return false
        }
    }
}
