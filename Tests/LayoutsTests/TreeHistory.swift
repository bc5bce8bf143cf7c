import FeedCore
import Glibc
import Hashing
import Layouts
import TestDoubles
import TestSupport
import Testing

/// The images of a test, whose bytes are their numbers.
struct NumberedImages: ImageFiles {
    static func bytes(_ number: Int) -> [UInt8] { Array("image \(number)".utf8) }

    static func stored(_ number: Int) throws(FeedError) -> StoredImage {
        let bytes = bytes(number)
        return StoredImage(
            digest: try SHA256.digest(of: bytes), size: Int64(bytes.count), type: .png, validators: Validators(),
            fetchedAt: Timestamp(microseconds: 0), directory: "images")
    }

    let bytes: [Digest: [UInt8]]

    init(count: Int) throws(FeedError) {
        var bytes: [Digest: [UInt8]] = [:]
        for number in 0..<count { bytes[try Self.stored(number).digest] = Self.bytes(number) }
        self.bytes = bytes
    }

    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage { OpenBytes(bytes[image.digest] ?? []) }
}

/// An entry of a directory, as far as a foreign one must not change.
enum DirectoryEntry: Hashable {
    case file([UInt8])
    case directory
    case link(String)

    /// Returns everything in a directory by its path, without hidden entries.
    static func all(in root: String) -> [String: DirectoryEntry] {
        var entries: [String: DirectoryEntry] = [:]
        func visit(_ above: String) {
            for name in TemporaryDirectory.names(in: above.isEmpty ? root : "\(root)/\(above)") {
                let path = above.isEmpty ? name : "\(above)/\(name)"
                var status = stat()
                guard lstat("\(root)/\(path)", &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    entries[path] = .directory
                    visit(path)
                case S_IFLNK:
                    var target = [CChar](repeating: 0, count: 4096)
                    readlink("\(root)/\(path)", &target, target.count - 1)
                    entries[path] = .link(String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
                default: entries[path] = .file(contents(of: "\(root)/\(path)"))
                }
            }
        }
        visit("")
        return entries
    }

    private static func contents(of path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}

/// A random history of a tree: what its feeds publish, what people do in its directory, and the runs that follow.
///
/// It knows by its own rules what the tree must contain after each run.
struct TreeHistory {
    /// An image of a feed.
    struct Item {
        let id: Int
        var title: String
        var bytes: Int
        let date: Int
    }

    /// The image or sidecar that a file has.
    struct Subject: Hashable {
        let feed: Int
        let bytes: Int
        var isSidecar = false
    }

    static let titles = ["Dawn", "dawn", "Noon", "Dusk", "Dusk (2)", "Night"]
    static let maxBytes = 200

    private var random: SeededGenerator
    private let temporary: TemporaryDirectory
    private let images: NumberedImages
    private var feeds: [[Item]] = [[], []]
    private var nextID = 0
    private var numbers: [Int: [Int: Int]] = [:]
    private var deleted: Set<Subject> = []
    /// The files that the last run left in the tree.
    private var own: [String: (subject: Subject, entry: DirectoryEntry)] = [:]

    private var root: String { temporary.path("tree") }

    init(seed: UInt64, images: NumberedImages) throws {
        random = SeededGenerator(seed: seed)
        temporary = try TemporaryDirectory(inMemory: true)
        self.images = images
    }

    mutating func run() async throws {
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            for _ in 0..<Int.random(in: 0...4, using: &random) { publish() }
            if access(root, F_OK) == 0 { for _ in 0..<Int.random(in: 0...4, using: &random) { try disturb() } }
            try await lay()
        }
    }

    // MARK: Feeds

    private mutating func publish() {
        let feed = Int.random(in: 0...1, using: &random)
        let count = feeds[feed].count
        switch count == 0 ? 0 : Int.random(in: 0...6, using: &random) {
        case 0, 1, 2:
            let bytes = Int.random(in: 0..<Self.maxBytes, using: &random)
            feeds[feed].insert(Item(id: nextID, title: title(), bytes: bytes, date: nextID), at: 0)
            nextID += 1
        case 3: feeds[feed].remove(at: Int.random(in: 0..<count, using: &random))
        case 4:
            let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            (feeds[feed][one].title, feeds[feed][other].title) = (feeds[feed][other].title, feeds[feed][one].title)
        case 5: feeds[feed][Int.random(in: 0..<count, using: &random)].title = title()
        default:
            feeds[feed][Int.random(in: 0..<count, using: &random)].bytes =
                Int.random(in: 0..<Self.maxBytes, using: &random)
        }
    }

    private mutating func title() -> String { Self.titles.randomElement(using: &random) ?? "" }

    // MARK: People

    private mutating func disturb() throws {
        let entries = DirectoryEntry.all(in: root).sorted { $0.key < $1.key }
        let ownPaths = own.keys.sorted()
        let victim = ownPaths.randomElement(using: &random) ?? "none"
        let foreign = "\(["feed-0", "feed-1", "."].randomElement(using: &random) ?? "")/\(title())"
        let free = ["\(foreign).png", "\(foreign) (2).png", "\(foreign).png.xmp"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0...9, using: &random) {
        case 0, 1: unlink("\(root)/\(victim)")
        case 2: write("changed \(random.next())", to: victim)
        case 3: rename("\(root)/\(victim)", "\(root)/mine \(random.next()).png")
        case 4, 5: write("mine \(random.next())", to: free)
        case 6: symlink("/etc/passwd", "\(root)/\(free)")
        case 7: mkdir("\(root)/\(free)", 0o755)
        case 8:
            guard let directory = entries.filter({ $0.value == .directory }).randomElement(using: &random) else {
                break
            }
            for path in entries.reversed().map(\.key) where path.hasPrefix(directory.key) {
                if case .directory = entries.first(where: { $0.key == path })?.value {
                    rmdir("\(root)/\(path)")
                } else {
                    unlink("\(root)/\(path)")
                }
            }
            rmdir("\(root)/\(directory.key)")
            if Bool.random(using: &random) { write("mine \(random.next())", to: directory.key) }
        default: utimes("\(root)/\(victim)", nil)
        }
    }

    /// Replaces a file by a new one, as most programs do, unless a directory has its path.
    private func write(_ text: String, to path: String) {
        unlink("\(root)/\(path)")
        guard let file = fopen("\(root)/\(path)", "wx") else { return }
        fputs(text, file)
        fclose(file)
    }
}

// MARK: - Runs

extension TreeHistory {
    private mutating func lay() async throws {
        let hasNumbers = Int.random(in: 0...4, using: &random) == 0
        let again = Int.random(in: 0...9, using: &random) == 0
        let options = TreeOptions(
            template: try #require(TreeTemplate(hasNumbers ? "{feed}/{n} {title}" : "{feed}/{title}")),
            newest: Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 1...4, using: &random) : nil,
            writesSidecars: Int.random(in: 0...2, using: &random) == 0, laysOutDeleted: again)
        let before = DirectoryEntry.all(in: root)
        rememberDeletions(before, again: again)
        let report = try await write(options)
        let after = DirectoryEntry.all(in: root)
        check(before, after, options, hasNumbers: hasNumbers)
        #expect(report.files == own.count)
        let second = try await write(
            TreeOptions(
                template: options.template, newest: options.newest, writesSidecars: options.writesSidecars))
        #expect(second.added.isEmpty && second.renamed.isEmpty && second.removed.isEmpty)
        #expect(DirectoryEntry.all(in: root) == after)
    }

    private func write(_ options: TreeOptions) async throws -> TreeReport {
        var galleries: [GalleryFeed] = []
        for (number, items) in feeds.enumerated() {
            let url = try Samples.url("https://a.example/\(number)")
            let images = try items.map { item in
                let post = FeedPost(title: item.title, published: Timestamp(microseconds: Int64(item.date)))
                return GalleryImage(
                    image: FeedImage(id: "\(item.id)", url: url, post: post),
                    data: .stored(try NumberedImages.stored(item.bytes)))
            }
            galleries.append(
                GalleryFeed(
                    FeedHead(
                        url: url, title: "Feed \(number)", format: .jsonFeed, savedAt: Timestamp(microseconds: 0)),
                    images: images, maxAge: .forever, isFresh: true))
        }
        return try await FileTree().write(
            galleries, images: images, to: OutputTarget(path: root, cache: temporary.path("cache")), options)
    }

    /// A missing file was deleted by people, if any other file of the tree is there.
    private mutating func rememberDeletions(_ before: [String: DirectoryEntry], again: Bool) {
        func isThere(_ path: String) -> Bool {
            if before[path] != nil { return true }
            let steps = path.split(separator: "/").dropLast()
            return steps.indices.contains { index in
                guard let entry = before[steps[...index].joined(separator: "/")] else { return false }
                return entry != .directory
            }
        }
        if !own.isEmpty, !own.keys.contains(where: isThere) { deleted = [] }
        for (path, file) in own where !isThere(path) && own.keys.contains(where: isThere) {
            deleted.insert(file.subject)
        }
        if again { deleted = [] }
    }

    /// Checks that foreign entries are unchanged, and that each wanted image has one file with its name.
    private mutating func check(
        _ before: [String: DirectoryEntry], _ after: [String: DirectoryEntry], _ options: TreeOptions, hasNumbers: Bool
    ) {
        let foreign = before.filter { $0.value != .directory && own[$0.key]?.entry != $0.value }
        for (path, entry) in foreign { #expect(after[path] == entry, "\(path)") }
        var made = after.filter { $0.value != .directory && foreign[$0.key] == nil }
        own = [:]
        for feed in feeds.indices {
            for item in chosen(feed, newest: options.newest)
            where !deleted.contains(.init(feed: feed, bytes: item.bytes)) {
                let number = numbers[feed]?[item.id] ?? 0
                let digits = String(number)
                let shown = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
                let stem = hasNumbers ? "\(shown) \(item.title)" : item.title
                let file = DirectoryEntry.file(NumberedImages.bytes(item.bytes))
                let matches = made.filter { $0.value == file && isName($0.key, of: stem, in: feed) }
                #expect(matches.count == 1, "\(feed) \(stem)")
                guard let path = matches.first?.key else { continue }
                made[path] = nil
                own[path] = (Subject(feed: feed, bytes: item.bytes), file)
                let sidecar = Subject(feed: feed, bytes: item.bytes, isSidecar: true)
                checkSidecar(of: path, sidecar, &made, options, isBlocked: foreign["\(path).xmp"] != nil)
            }
        }
        #expect(made.isEmpty, "\(made.keys.sorted())")
    }

    private mutating func checkSidecar(
        of path: String, _ subject: Subject, _ made: inout [String: DirectoryEntry], _ options: TreeOptions,
        isBlocked: Bool
    ) {
        let sidecar = made.removeValue(forKey: "\(path).xmp")
        if let sidecar { own["\(path).xmp"] = (subject, sidecar) }
        let isWanted = options.writesSidecars && !deleted.contains(subject)
        #expect(sidecar == nil ? !isWanted || isBlocked || isDirectory("\(path).xmp") : isWanted, "\(path)")
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat("\(root)/\(path)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func isName(_ path: String, of stem: String, in feed: Int) -> Bool {
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[0] == "feed-\(feed)" || parts[0].hasPrefix("feed-\(feed) (") else { return false }
        return parts[1] == "\(stem).png" || parts[1].hasPrefix("\(stem) (") && parts[1].hasSuffix(").png")
    }

    /// Returns the newest images with distinct bytes, and numbers them, older ones first.
    private mutating func chosen(_ feed: Int, newest: Int?) -> [Item] {
        var seen: Set<Int> = []
        let items = feeds[feed].filter { seen.insert($0.bytes).inserted }.prefix(newest ?? .max)
        for item in items.reversed() where numbers[feed]?[item.id] == nil {
            numbers[feed, default: [:]][item.id] = (numbers[feed]?.count ?? 0) + 1
        }
        return Array(items)
    }
}

@Suite("What people do in a tree")
struct TreeHistoryTests {
    @Test(
        "Foreign files stay, and each image has its file, after random changes of feeds, options and files",
        arguments: 0..<10)
    func histories(part: Int) async throws {
        let images = try NumberedImages(count: TreeHistory.maxBytes)
        for seed in 50 * part..<50 * (part + 1) {
            var history = try TreeHistory(seed: UInt64(seed), images: images)
            try await history.run()
        }
    }
}
