internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Renames own files.
extension OutputDirectory {
    /// Notes that the run is going to rename or delete own files.
    ///
    /// A run calls this before it announces its files. If it is killed, the next run knows that the user did not delete
    /// the missing files.
    func expectChange(of path: String) {
        guard let content = list.entries[path]?.own?.content else { return }
        if list.entries[path]?.planned == nil { list.entries[path]?.planned = content }
    }

    /// Notes that the run is going to give a file another path.
    func expectMove(of path: String, to target: String) throws(FeedError) {
        guard let entry = list.entries[path], let own = entry.own else { return }
        expectChange(of: path)
        // The file keeps its time, by which the next run recognises it without reading it.
        if list.entries[target]?.own == nil {
            list.entries[target, default: .init()].own = own
            expectedMoves.insert(target)
        }
        list.entries[target]?.planned = own.content
        try announceDirectories(to: target.splitAtName.directory)
    }

    /// Removes the note about a file that is going to get this path, and has been announced.
    func forgetMove(to target: String) {
        if expectedMoves.remove(target) != nil { list.entries[target] = nil }
    }

    /// Gives an own file another path.
    ///
    /// With `isReplacing`, it replaces an own file. Returns false, and leaves the file where it is, if the file is
    /// foreign by now or if something foreign has the new path.
    func move(
        _ path: String, to target: String, isReplacing: Bool, _ purpose: TreePurpose?
    ) throws(FeedError) -> Bool {
        guard case .own(let own) = try state(of: path) else { return false }
        var isReplacing = isReplacing
        switch try state(of: target) {
        case .missing: isReplacing = false
        case .own, .unfinished: guard isReplacing else { return false }
        case .foreign: return false
        }
        let isMoved = try attempt { () throws(SystemError) in
            let (above, name) = path.splitAtName
            guard case .found(let directory) = try lookUp(above) else { return false }
            let (newAbove, newName) = target.splitAtName
            return try rename(
                name, in: directory, own, to: newName, in: try makeDirectories(newAbove), isReplacing: isReplacing)
        }
        guard isMoved else { return false }
        list.entries[path] = nil
        list.entries[target] = .wanted(own, purpose)
        return true
    }

    /// Gives an own file the hidden name, so that another file can take its path.
    ///
    /// Returns nil, and leaves the file where it is, if the file is foreign by now.
    func setAside(_ path: String) throws(FeedError) -> OwnFile? {
        guard let root, let part = list.part, case .own(let own) = try state(of: path) else { return nil }
        let isMoved = try attempt { () throws(SystemError) in
            let (above, name) = path.splitAtName
            guard case .found(let directory) = try lookUp(above) else { return false }
            return try rename(name, in: directory, own, to: part, in: root, isReplacing: false)
        }
        return isMoved ? own : nil
    }

    /// Gives the file with the hidden name its new path.
    ///
    /// Returns false if something foreign has the new path. The file then returns to its former path or, if that is
    /// taken as well, is deleted, and the next run makes it again.
    func bringBack(
        _ own: OwnFile, from path: String, to target: String, _ purpose: TreePurpose?
    ) throws(FeedError) -> Bool {
        guard let root, let part = list.part else { return false }
        for candidate in [target, path] {
            let isMoved = try attempt { () throws(SystemError) in
                let (above, name) = candidate.splitAtName
                guard case .obstructed = try lookUp(above) else {
                    let directory = try makeDirectories(above)
                    return try rename(part, in: root, own, to: name, in: directory, isReplacing: false)
                }
                return false
            }
            guard isMoved else { continue }
            if candidate == target, path != target, list.entries[path]?.isWanted != true { list.entries[path] = nil }
            list.entries[candidate] = .wanted(own, purpose)
            return candidate == target
        }
        removePart()
        return false
    }

    /// Renames a file.
    ///
    /// Returns false if the new name is taken, or if the file turns out to be another one than `own`, which then gets its
    /// name back.
    private func rename(
        _ name: String, in directory: Descriptor, _ own: OwnFile, to newName: String, in target: Descriptor,
        isReplacing: Bool
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try isReplacing
                ? directory.rename(name, over: newName, in: target) : directory.rename(name, to: newName, in: target)
        } catch let error where error.code == EEXIST || error.code == ENOENT {
            return false
        }
        isListChanged = true
        guard let moved = try target.status(of: newName), moved.isFile, moved.modified == own.modified,
            moved.st_size == own.content.size
        else {
            try target.rename(newName, to: name, in: directory)
            return false
        }
        return true
    }

    /// Gives an own file another date, unless it shares its time with the file in the cache.
    func setDate(_ date: Timestamp, ofFileAt path: String) throws(FeedError) {
        guard let entry = list.entries[path], let own = entry.own else { return }
        let (above, name) = path.splitAtName
        try attempt { () throws(SystemError) in
            guard case .found(let directory) = try lookUp(above), let file = open(name, in: directory) else { return }
            let status = try file.status()
            guard status.st_nlink == 1, status.modified == own.modified, status.st_size == own.content.size else {
                return
            }
            try file.setTime(date)
            list.entries[path]?.own?.modified = try file.status().modified
            isListChanged = true
        }
    }
}
