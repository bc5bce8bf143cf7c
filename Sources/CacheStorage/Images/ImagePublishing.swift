internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

extension ImageDirectory {
    /// Stores staged images. The order ensures that after a power failure every row leads to complete bytes: first the
    /// bytes go to disk, then the names into the directory, then the directory to disk, and finally the rows.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [Result<StoredImage, FeedError>] {
        guard let staging, let files = directories.files else { throw readOnly }
        let staged = images.map { image -> StagedFile? in
            guard let file = image.bytes as? StagedFile, file.staging === staging else { return nil }
            return file
        }
        for file in staged { file?.complete() }
        WorkerThreads.shareWaiting(staged.count, among: Staging.syncingThreads) { staged[$0]?.makeDurable() }

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
        if !placedDigests.isEmpty, let exhaustion = try await index(images, &fingerprints, placed) {
            staging.exhaust(exhaustion)
            for slot in images.indices where fingerprints[slot] == nil {
                failures[slot] = failures[slot] ?? exhaustion
            }
        }
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

    /// Moves the file of one image. Returns the failure of that image, and throws a failure that concerns all images.
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

    /// Saves the rows. On a full disk it deletes the last files, an eighth at a time, until there is space for the rows
    /// of the others, so that the next run need not download those again. Returns the error of the full disk in that
    /// case.
    private func index(
        _ images: [ReceivedImage], _ fingerprints: inout [StagedFile.Fingerprint?], _ placed: PlacedFiles
    ) async throws(FeedError) -> FeedError? {
        var exhaustion: FeedError?
        while true {
            let isRolledBack = Atomic(false)
            do throws(FeedError) {
                try await saveRows(images, fingerprints, undoing: { isRolledBack.store(true, ordering: .relaxed) })
                return exhaustion
            } catch {
                // After an uncertain commit the rows may exist and need their files.
                guard isRolledBack.load(ordering: .relaxed) else { throw error }
                let stored = fingerprints.indices.filter { fingerprints[$0] != nil }
                guard stored.count > 1, error.lacksRoom else {
                    placed.rollBack()
                    throw error
                }
                exhaustion = exhaustion ?? error
                for slot in stored.suffix(max(1, stored.count / 8)) { fingerprints[slot] = nil }
                placed.rollBack(except: Set(fingerprints.compactMap { $0?.digest }))
            }
        }
    }

    private func saveRows(
        _ images: [ReceivedImage], _ fingerprints: [StagedFile.Fingerprint?], undoing undo: @Sendable () -> Void
    ) async throws(FeedError) {
        try await database.write(
            { connection throws(FeedError) in
                let index = ImageIndex(connection: connection)
                for (slot, fingerprint) in fingerprints.enumerated() {
                    if let fingerprint { try index.insert(images[slot], fingerprint) }
                }
                let memory = FailureMemory(connection: connection)
                for slot in images.indices where fingerprints[slot] != nil {
                    try memory.forget(images[slot].url, for: images[slot].recipients)
                }
            }, undoing: undo)
    }
}
