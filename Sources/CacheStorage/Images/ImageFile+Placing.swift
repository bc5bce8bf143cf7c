internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageFile {
    enum Placement {
        case new
        /// In place of one that was damaged.
        case replaced
        /// The bytes were there already, and whole; the staged file is deleted.
        case kept
    }

    /// Moves a staged file whose bytes are known, and on disk, to where they belong.
    @discardableResult
    static func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64, in files: Descriptor
    ) throws(SystemError) -> Placement {
        let name = digest.hex
        do throws(SystemError) {
            try incoming.rename(staged, to: name, in: files)
            return .new
        } catch let error where error.code == EEXIST {
            if isTrustworthy(digest, size: size, in: files) {
                unlinkat(incoming.number, staged, 0)
                return .kept
            }
            if try files.status(of: name)?.isDirectory == true { try files.removeAll(name) }
            guard renameat(incoming.number, staged, files.number, name) == 0 else {
                throw SystemError("can't be replaced", "\(files.path)/\(name)")
            }
            return .replaced
        }
    }
}
