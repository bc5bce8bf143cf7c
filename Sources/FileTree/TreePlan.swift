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
        var placesByDigest: [Digest: [Int]] = [:]
        placesByDigest.reserveCapacity(list.files.count)
        for (place, entry) in list.files.enumerated() {
            switch try folder.state(of: entry) {
            case .missing: continue
            case .others: if entry.modified != nil { changedByOthers.append(entry.path) }
            // What a killed run left has no date to know it by. It is made anew.
            case .own where entry.modified == nil: removed.append(entry.path)
            case .own: placesByDigest[entry.digest, default: []].append(place)
            }
        }
        var open: [WantedFile] = []
        // A picture keeps the name that it has, as long as it would be called so.
        for file in wanted {
            let places = placesByDigest[file.image.digest] ?? []
            if let index = places.firstIndex(where: { file.number(of: list.files[$0].path) != nil }) {
                kept.append(list.files[places[index]])
                placesByDigest[file.image.digest]?.remove(at: index)
            } else {
                open.append(file)
            }
        }
        removed += placesByDigest.values.joined().map { list.files[$0].path }
        removed.sort()
        try assign(open, in: &folder)
    }

    /// No name is given that stands there, in whatever case, unless it is about to go.
    private mutating func assign(_ files: [WantedFile], in folder: inout TreeFolder) throws(SystemError) {
        let going = Set(removed)
        var taken: Set<String> = []
        for path in Set(files.map(\.folder)) {
            guard let opened = try folder.folder(path) else { continue }
            for name in try folder.names(in: opened) {
                let path = path.isEmpty ? name : "\(path)/\(name)"
                if !going.contains(path) { taken.insert(SafeName.key(path)) }
            }
        }
        var numbers: [String: Int] = [:]
        for file in files {
            let first = SafeName.key(file.path(1))
            var number = numbers[first, default: 1]
            while !taken.insert(number == 1 ? first : SafeName.key(file.path(number))).inserted { number += 1 }
            numbers[first] = number + 1
            added.append(Assigned(file: file, path: file.path(number)))
        }
    }
}
