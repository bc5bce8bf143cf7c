internal import CArchive
internal import FeedCore

/// What an entry is, by its name and type.
extension ArchiveReader {
    static func name(of header: OpaquePointer) throws(FeedError) -> String {
        guard let name = archive_entry_pathname(header) ?? archive_entry_pathname_utf8(header) else {
            throw .invalidData("an entry has a name that can't be read")
        }
        return String(cString: name)
    }

    func isFolder(_ header: OpaquePointer) throws(FeedError) -> Bool {
        // First of all: such an entry may have a type as if it were a file, or none.
        if archive_entry_hardlink(header) != nil || archive_entry_filetype(header) == 0 { throw refused("a hard link") }
        if archive_entry_symlink(header) != nil { throw refused("a symbolic link") }
        switch UInt32(archive_entry_filetype(header)) {
        case feedsync_folder: return true
        case feedsync_regular_file: break
        case feedsync_symbolic_link: throw refused("a symbolic link")
        case feedsync_fifo: throw refused("a FIFO")
        case feedsync_character_device, feedsync_block_device: throw refused("a device")
        default: throw refused("neither a file nor a folder")
        }
        guard archive_entry_sparse_count(header) == 0 else { throw refused("a sparse file") }
        return false
    }

    func entry(isFolder: Bool) throws(FeedError) -> Entry {
        if !isFolder, let blob = OCILayout.blob(named: name) { return .blob(blob) }
        guard !name.hasPrefix("/") else { throw refused("an absolute path") }
        var parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains("..") else { throw refused("a path with .. in it") }
        if parts.first == ".", parts.count > 1 { parts.removeFirst() }
        // A folder's name may end in a slash.
        if isFolder, parts.last == "" { parts.removeLast() }
        let path = parts.joined(separator: "/")
        let entry: Entry? =
            switch (isFolder, path) {
            case (true, ""), (true, "."), (true, "blobs"), (true, OCILayout.blobFolder): .folder
            case (false, OCILayout.layoutFile): .layout
            case (false, OCILayout.indexFile): .index
            default: nil
            }
        guard let entry else {
            throw refused(isFolder ? "a folder that has no place here" : "a name that has no place here")
        }
        guard seen.insert(path == "." ? "" : path).inserted else { throw repeated }
        return entry
    }
}
