import Glibc
import JSONText
import TestSupport

/// What the program says about a cache, compared with the model.
extension ArchiveHistory {
    /// Returns the feed that a cache shows, and the bytes of each of its images that has a path.
    func shown(in cache: Int) async throws -> (feed: ModelCache.Feed?, data: [Int: [UInt8]?]) {
        let result = try await programs[cache].run("show", "--offline", "--json", server.feedURL)
        guard result.status != .exited(66) else { return (nil, [:]) }
        guard result.status == .exited(0) else { throw disagreement("show: \(result.status) \(result.errorText)") }
        var feed = ModelCache.Feed(savedAt: try result.json["saved_at"]?.string)
        var data: [Int: [UInt8]?] = [:]
        for image in try result.json["images"]?.array ?? [] {
            let number = number(of: image["url"]?.string)
            if image["current"] == .bool(true) { feed.current.append(number) } else { feed.kept[number] = true }
            let path = image["path"]?.string.map { "\(programs[cache].cache)/\($0)" }
            data[number] = .some(try path.flatMap { Files.exists($0) ? try Files.bytes($0) : nil })
        }
        return (feed, data)
    }

    private func number(of url: String?) -> Int {
        (0..<Self.images).first { server.imageURL($0) == url } ?? -1
    }

    func isRight(_ bytes: [UInt8]?, _ data: ModelCache.Data?, of image: Int) -> Bool {
        switch data {
        case .intact: bytes == FeedServer.image(image)
        case .damaged: bytes != FeedServer.image(image)
        case nil: bytes == nil
        }
    }

    /// Checks what `show` says about a cache.
    mutating func check(_ cache: Int) async throws {
        let shown = try await shown(in: cache)
        guard models[cache].agrees(with: shown.feed) else {
            throw disagreement("\(String(describing: shown.feed)) instead of \(String(describing: models[cache].feed))")
        }
        models[cache].feed?.savedAt = shown.feed?.savedAt
        for (image, bytes) in shown.data where !isRight(bytes, models[cache].data[image], of: image) {
            throw disagreement("the image \(image) has \(bytes?.count ?? -1) bytes")
        }
    }

    /// Checks that `find` lists the images that have data, and no others.
    func checkFinding(in cache: Int) async throws {
        guard models[cache].feed != nil else { return }
        let lines = try await programs[cache].run("find", "--json").outputLines
        let found = Set(try lines.map { number(of: try JSONValue.parse(Array($0.utf8))["url"]?.string) })
        let intact = models[cache].withData.filter { models[cache].data[$0] == .intact }
        guard found.isSuperset(of: intact), found.isSubset(of: models[cache].withData) else {
            throw disagreement("find has \(found.sorted()) instead of \(intact.sorted())")
        }
    }

    /// Checks that `image` delivers the data of an image of the feed, and neither damaged nor removed data.
    func checkDelivery(of image: Int, from cache: Int) async throws {
        guard let feed = models[cache].feed else { return }
        let result = try await programs[cache].run("image", "--offline", server.imageURL(image))
        let isDelivered = result.status == .exited(0)
        let bytes = isDelivered ? FeedServer.image(image) : []
        let data = models[cache].data[image]
        let mayBeDelivered = data == .intact && !models[cache].removed.subtracting(feed.images).contains(image)
        let mustBeDelivered = data == .intact && feed.images.contains(image)
        guard result.standardOutput == bytes, isDelivered ? mayBeDelivered : !mustBeDelivered else {
            throw disagreement("image \(image): \(result.status), \(result.standardOutput.count) bytes")
        }
    }

    /// Checks that the directory of images contains nothing else.
    func checkFiles(of cache: Int) throws {
        let names = Files.names(in: programs[cache].imageDirectory)
        guard names == models[cache].data.keys.map({ digests[$0] }).sorted() else {
            throw disagreement("the cache has \(names.count) files instead of \(models[cache].data.count)")
        }
    }

    /// Checks that a full export contains everything, or fails if an image is damaged.
    func checkExport(from cache: Int) async throws {
        let path = programs[cache].directory.path("check.tar")
        let expected = models[cache].export(to: path, without: [])
        let result = try await programs[cache].run("export", path)
        guard result.exitCode == expected.code, Files.exists(path) == (expected.code == 0) else {
            throw disagreement("export: \(result.status) instead of \(expected.code) \(result.errorText)")
        }
        if let archive = expected.archive { try await checkArchive(archive) }
        unlink(path)
    }

    func checkArchive(_ archive: ModelArchive) async throws {
        let (blobs, document) = try await contents(of: archive.path)
        let images = (document["images"]?.array ?? []).map { number(of: $0["url"]?.string) }
        let removed = (document["removed"]?.array ?? []).map { number(of: $0["urls"]?[0]?.string) }
        let withData = (document["images"]?.array ?? []).filter { $0["digest"]?.string != nil }
        guard blobs == Set(archive.blobs.map { digests[$0] }), Set(images) == archive.feed.images,
            Set(removed) == archive.removed, Set(withData.map { number(of: $0["url"]?.string) }) == archive.withData
        else { throw disagreement("the archive has \(blobs.count) blobs, \(images), removed \(removed)") }
    }

    /// Returns the digests of the images in an archive and its feed document, after sha256sum has checked each blob.
    private func contents(of archive: String) async throws -> (images: Set<String>, document: JSONValue) {
        let unpacked = try TemporaryDirectory()
        let script = #"tar -xf "$1" -C "$2" && cd "$2/blobs/sha256" && sha256sum -- *"#
        let result = try await Subprocess.run("sh", ["-c", script, "sh", archive, unpacked.path])
        let names = Files.names(in: unpacked.path("blobs/sha256"))
        guard result.status == .exited(0), result.outputLines.map(String.init) == names.map({ "\($0)  \($0)" }) else {
            throw disagreement("\(archive): \(result.errorText)\(result.outputText)")
        }
        let documents = try names.filter { !digests.contains($0) }.map { name in
            try JSONValue.parse(try unpacked.read("blobs/sha256/\(name)"))
        }
        guard let document = documents.first(where: { $0["url"] != nil }) else {
            throw disagreement("\(archive): no feed document")
        }
        return (Set(names).intersection(digests), document)
    }
}
