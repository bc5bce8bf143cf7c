internal import FeedCore
internal import SystemFiles

/// What has to be done to a tree.
struct TreePlan {
    struct Assigned {
        let file: WantedFile
        let path: String
    }

    /// Files of earlier runs that stay as they are.
    private(set) var kept: [TreeEntry] = []
    private(set) var added: [Assigned] = []
    private(set) var removed: [String] = []
    /// Files of earlier runs that somebody has changed since.
    private(set) var changedByOthers: [String] = []

    init(_ wanted: [WantedFile], _ list: TreeList, in folder: inout TreeFolder) throws(SystemError) {
        var own: [String: TreeEntry] = [:]
        var pathsByDigest: [Digest: [String]] = [:]
        own.reserveCapacity(list.files.count)
        for entry in list.files {
            switch try folder.state(of: entry) {
            case .missing: continue
            case .others: if entry.modified != nil { changedByOthers.append(entry.path) }
            case .own: own[entry.path] = entry
            }
            pathsByDigest[entry.digest, default: []].append(entry.path)
        }
        var taken = try Self.foreignNames(Set(wanted.map(\.folder)), own, &folder)
        var open: [WantedFile] = []
        // A picture keeps the name that it has, as long as it would be called so.
        for file in wanted {
            let path = pathsByDigest[file.image.digest]?.first { path in
                own[path] != nil && file.number(of: path) != nil && !taken.contains(SafeName.key(path))
            }
            guard let path, let entry = own[path] else {
                open.append(file)
                continue
            }
            taken.insert(SafeName.key(path))
            // One that a killed run left has no date to know it by.
            if entry.modified == nil {
                added.append(Assigned(file: file, path: path))
            } else {
                kept.append(entry)
                own[path] = nil
            }
        }
        var numbers: [String: Int] = [:]
        for file in open {
            let first = SafeName.key(file.path(1))
            var number = numbers[first, default: 1]
            while !taken.insert(number == 1 ? first : SafeName.key(file.path(number))).inserted { number += 1 }
            numbers[first] = number + 1
            added.append(Assigned(file: file, path: file.path(number)))
        }
        removed = own.keys.sorted()
    }

    /// What nobody but people put into these folders.
    private static func foreignNames(
        _ folders: Set<String>, _ own: [String: TreeEntry], _ folder: inout TreeFolder
    ) throws(SystemError) -> Set<String> {
        var foreign: Set<String> = []
        for path in folders.sorted() {
            guard let opened = try folder.folder(path) else { continue }
            for name in try folder.names(in: opened) {
                let path = path.isEmpty ? name : "\(path)/\(name)"
                if own[path] == nil { foreign.insert(SafeName.key(path)) }
            }
        }
        return foreign
    }
}
