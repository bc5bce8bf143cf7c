internal import FeedCore
internal import SystemFiles

/// Brings a tree to what is wanted.
///
/// First goes what is no longer wanted. Then the list is written with what is to be made, each file is made under a hidden
/// name and takes its place where nobody has put another, and the list is written again. Killed at any moment, it leaves
/// only files and folders that are on the list, one hidden file, and whatever was a person's; the next run goes on.
struct TreeChange {
    private var folder: TreeFolder
    private let images: any ImageFiles
    private let isDryRun: Bool
    /// The ways that files come here; those that turn out to be impossible are left out.
    private var placements: [ImagePlacement] = ImagePlacement.allCases

    init(_ root: Descriptor, _ images: any ImageFiles, isDryRun: Bool) {
        folder = TreeFolder(root)
        self.images = images
        self.isDryRun = isDryRun
    }

    mutating func make(_ wanted: [WantedFile], _ report: TreeReport) throws(FeedError) -> TreeReport {
        var report = report
        var list: TreeList
        let plan: TreePlan
        do throws(SystemError) {
            list = try TreeList(in: folder.root)
            plan = try TreePlan(wanted, list, in: &folder)
        } catch {
            throw error.ofTreesPlace
        }
        report.changedByOthers = plan.changedByOthers
        report.removed = plan.removed
        report.files = plan.kept.count
        if isDryRun {
            report.added = plan.added.map(\.path)
            report.files += plan.added.count
            return report
        }
        if plan.added.isEmpty, plan.removed.isEmpty, plan.isListTrue { return report }
        do throws(SystemError) {
            for path in plan.removed { try folder.remove(path) }
            list.files = plan.kept
            list.folders.formUnion(plan.newFolders)
            if !plan.added.isEmpty {
                var announced = list
                announced.files += plan.added.map { added in
                    TreeEntry(
                        path: added.path, digest: added.file.image.digest, size: added.file.image.size, modified: nil)
                }
                try announced.write(to: folder.root)
            }
        } catch {
            throw error.ofTree
        }
        folder.clearPart()
        for added in plan.added {
            if Task.isCancelled { throw .cancelled }
            if let entry = try add(added, &report) { list.files.append(entry) }
        }
        report.files = list.files.count
        do throws(SystemError) {
            try removeEmptyFolders(of: &list)
            try list.write(to: folder.root)
        } catch {
            throw error.ofTree
        }
        return report
    }

    private mutating func add(
        _ added: TreePlan.Assigned, _ report: inout TreeReport
    ) throws(FeedError) -> TreeEntry? {
        let (file, path) = (added.file, added.path)
        let (above, name) = path.asPlace
        do throws(FeedError) {
            let opened = try images.open(file.image)
            let inner: Descriptor?
            do throws(SystemError) {
                inner = try folder.folder(above, isToBeMade: true)
            } catch {
                throw error.ofTreesPlace
            }
            guard let inner else { return nil }
            var ways = placements
            let modified = try folder.put(name, in: inner, dated: file.date) { path throws(FeedError) in
                while let way = ways.first {
                    if try opened.place(at: path, as: way) { return way }
                    ways.removeFirst()
                }
                throw .storage(.failed, "writing the tree failed: \(path)")
            }
            placements = ways
            guard let modified else { return nil }
            report.added.append(path)
            return TreeEntry(path: path, digest: file.image.digest, size: file.image.size, modified: modified)
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            report.missing += 1
            return nil
        }
    }

    private mutating func removeEmptyFolders(of list: inout TreeList) throws(SystemError) {
        let used = Set(list.files.flatMap { $0.path.foldersAbove })
        // The inner ones first.
        for path in list.folders.subtracting(used).sorted(by: >) where try folder.removeFolder(path) {
            list.folders.remove(path)
        }
    }
}
