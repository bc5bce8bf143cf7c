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
    /// The list says of each file what it is now.
    private(set) var isListTrue = true
    /// Those that files are added to and that aren't there.
    private(set) var newFolders: Set<String> = []

    init(_ wanted: [WantedFile], _ list: TreeList, in folder: inout TreeFolder) throws(SystemError) {
        var own = list.files
        var placesByDigest: [Digest: [Int]] = [:]
        placesByDigest.reserveCapacity(own.count)
        for place in own.indices {
            switch try folder.state(of: own[place]) {
            case .own(let modified):
                placesByDigest[own[place].digest, default: []].append(place)
                if modified == own[place].modified { continue }
                own[place].modified = modified
            case .missing: break
            case .broken: removed.append(own[place].path)
            case .others: if own[place].modified != nil { changedByOthers.append(own[place].path) }
            }
            isListTrue = false
        }
        var open: [WantedFile] = []
        // A picture keeps the name that it has, as long as it would be called so.
        for file in wanted {
            let places = placesByDigest[file.image.digest] ?? []
            if let index = places.firstIndex(where: { file.number(of: own[$0].path) != nil }) {
                kept.append(own[places[index]])
                placesByDigest[file.image.digest]?.remove(at: index)
            } else {
                open.append(file)
            }
        }
        removed += placesByDigest.values.joined().map { own[$0].path }
        removed.sort()
        try assign(open, in: &folder)
    }

    /// No name is given that stands there, in whatever case, unless it is about to go.
    private mutating func assign(_ files: [WantedFile], in folder: inout TreeFolder) throws(SystemError) {
        let going = Set(removed)
        var names = FreeNames()
        for path in Set(files.map(\.folder)) {
            guard let opened = try folder.folder(path) else {
                for above in path.foldersAbove + [path] where try folder.folder(above) == nil {
                    newFolders.insert(above)
                }
                continue
            }
            for name in try folder.names(in: opened) {
                let path = path.isEmpty ? name : "\(path)/\(name)"
                if !going.contains(path) { names.take(path) }
            }
        }
        added = files.map { Assigned(file: $0, path: names.path(for: $0)) }
    }
}

/// Gives each file the first of its names that is free, in whatever case.
struct FreeNames {
    private var taken: Set<String> = []
    private var numbers: [String: Int] = [:]

    mutating func take(_ path: String) { taken.insert(SafeName.key(path)) }

    mutating func path(for file: WantedFile) -> String {
        let first = SafeName.key(file.path(1))
        var number = numbers[first, default: 1]
        while !taken.insert(number == 1 ? first : SafeName.key(file.path(number))).inserted { number += 1 }
        numbers[first] = number + 1
        return file.path(number)
    }
}

extension String {
    /// Those that this path leads through.
    var foldersAbove: [String] {
        indices.filter { self[$0] == "/" }.map { String(self[..<$0]) }
    }
}
