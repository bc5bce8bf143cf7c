internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageDirectory {
    /// Stores staged images.
    ///
    /// The order ensures that after a power failure every row leads to complete bytes: first the bytes go to disk, then
    /// the names into the directory, then the directory to disk, and finally the rows.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [Result<StoredImage, FeedError>] {
        guard let staging, let files = directories.files else { throw readOnly }
        let staged = images.map { image -> StagedFile? in
            guard let file = image.bytes as? StagedFile, file.staging === staging else { return nil }
            return file
        }
        for file in staged { file?.complete() }
        WorkerThreads.shareWaiting(staged.count, among: Staging.syncingThreads) {
            staged[$0]?.makeDurable(dated: images[$0].published)
        }

        var failures = [FeedError?](repeating: nil, count: images.count)
        var fingerprints = [StagedFile.Fingerprint?](repeating: nil, count: images.count)
        var placed = PlacedFiles(in: files)
        // Several images of a batch may have the same bytes, which are moved once.
        var placedDigests = Set<Digest>(minimumCapacity: images.count)
        do throws(FeedError) {
            for (slot, file) in staged.enumerated() {
                switch try placeFile(file, &placed, &placedDigests) {
                case .success(let fingerprint): fingerprints[slot] = fingerprint
                case .failure(let failure):
                    images[slot].bytes.discard()
                    failures[slot] = failure
                }
            }
            try placed.makeDurable()
        } catch {
            placed.rollBack()
            throw error
        }
        if !placedDigests.isEmpty { try await saveRows(images, fingerprints, of: placed) }
        return zip(images, zip(fingerprints, failures)).map { result(of: $0, $1.0, $1.1) }
    }

    private func result(
        of image: ReceivedImage, _ fingerprint: StagedFile.Fingerprint?, _ failure: FeedError?
    ) -> Result<StoredImage, FeedError> {
        if let failure { return .failure(failure) }
        guard let fingerprint else { return .failure(.storage(.failed, "\(path): the image was not stored")) }
        return .success(
            StoredImage(
                digest: fingerprint.digest, size: fingerprint.size, type: image.type, validators: image.validators,
                fetchedAt: image.fetchedAt, directory: ImageDirectories.files))
    }

    /// Moves the file of one image.
    ///
    /// Returns the failure of that image, and throws a failure that concerns all images.
    private func placeFile(
        _ file: StagedFile?, _ placed: inout PlacedFiles, _ placedDigests: inout Set<Digest>
    ) throws(FeedError) -> Result<StagedFile.Fingerprint, FeedError> {
        guard let file else { return .failure(.storage(.failed, "\(path): the image was not staged here")) }
        let fingerprint: StagedFile.Fingerprint
        do { fingerprint = try file.fingerprint() } catch { return .failure(error) }
        guard placedDigests.insert(fingerprint.digest).inserted else {
            file.discard()
            return .success(fingerprint)
        }
        do {
            try file.place { staged throws(SystemError) in
                try placed.place(staged, from: file.staging.directory, as: fingerprint.digest, size: fingerprint.size)
            }
            return .success(fingerprint)
        } catch {
            placedDigests.remove(fingerprint.digest)
            let failure = error.feedError(.failed)
            if let files = directories.files, ImageFile.isOutOfReach(fingerprint.digest, in: files) {
                return .failure(failure)
            }
            // If the staged file still exists, the target directory is missing, and every other image would fail as
            // well.
            let isGone = try attempt(.failed) { () throws(SystemError) in try !file.isThere() }
            guard error.code == ENOENT, isGone else { throw failure }
            return .failure(failure)
        }
    }

    /// Saves the rows.
    ///
    /// If they were certainly rolled back, the files are deleted; after an uncertain commit the rows may exist and need
    /// their files.
    private func saveRows(
        _ images: [ReceivedImage], _ fingerprints: [StagedFile.Fingerprint?], of placed: PlacedFiles
    ) async throws(FeedError) {
        try await database.write(
            { connection throws(FeedError) in
                var writer = DataWriter(connection)
                for (slot, fingerprint) in fingerprints.enumerated() {
                    if let fingerprint { try writer.insert(images[slot], fingerprint) }
                }
                try writer.finish()
            }, undoing: { placed.rollBack() })
    }
}

/// The files that were moved to their final names before their rows are saved.
struct PlacedFiles: Sendable {
    private let directory: Descriptor
    private var isAny = false
    /// The digests whose names were unused before.
    private var new: [Digest] = []

    init(in directory: Descriptor) { self.directory = directory }

    /// Moves a file.
    ///
    /// `staged` is its name in `incoming`.
    mutating func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64
    ) throws(SystemError) {
        let placement = try ImageFile.place(staged, from: incoming, as: digest, size: size, in: directory)
        isAny = true
        if placement == .new { new.append(digest) }
    }

    /// Waits until the names of the files are on disk.
    ///
    /// This includes files that existed before or replaced a damaged one.
    func makeDurable() throws(FeedError) {
        if isAny { try attempt(.failed) { () throws(SystemError) in try directory.synchroniseWherePossible() } }
    }

    /// Deletes the new files, which have no rows.
    ///
    /// On a full disk this is the only way to free their space. If a file can't be deleted now, a later removal deletes
    /// it.
    func rollBack() {
        for digest in new { unlinkat(directory.number, digest.hex, 0) }
    }
}

extension ImageFile {
    enum Placement {
        case new
        /// The file replaced a damaged one.
        case replaced
        /// An intact file with these bytes existed; the staged file was deleted.
        case kept
    }

    /// Moves a staged file, whose bytes are on disk, to its final name.
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
