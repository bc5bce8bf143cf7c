internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

extension ImageDirectory {
    /// In this order, so that whenever the power fails, a row names a file whose bytes are there: the bytes to disk, the
    /// names into the directory, the directory to disk, the rows.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [Result<StoredImage, FeedError>] {
        guard let staging, let files = directories.files else { throw readOnly }
        let staged = images.map { image -> StagedFile? in
            guard let file = image.bytes as? StagedFile, file.staging === staging else { return nil }
            return file
        }
        for file in staged { file?.complete() }
        WorkerThreads.shareWaiting(staged.count, among: Staging.syncingThreads) { staged[$0]?.makeDurable() }

        var failures = [FeedError?](repeating: nil, count: images.count)
        var seals = [StagedFile.Seal?](repeating: nil, count: images.count)
        var placed = PlacedFiles(in: files)
        // Images of a batch may have equal bytes, which are placed once.
        var settled = Set<Digest>(minimumCapacity: images.count)
        do throws(FeedError) {
            for (place, file) in staged.enumerated() {
                switch try settle(file, &placed, &settled) {
                case .success(let seal): seals[place] = seal
                case .failure(let failure):
                    images[place].bytes.discard()
                    failures[place] = failure
                }
            }
            try placed.makeDurable()
        } catch {
            placed.takeBack()
            throw error
        }
        if !settled.isEmpty, let exhaustion = try await index(images, &seals, placed) {
            staging.exhaust(exhaustion)
            for place in images.indices where seals[place] == nil {
                failures[place] = failures[place] ?? exhaustion
            }
        }
        return zip(images, zip(seals, failures)).map { image, result in
            switch result {
            case (let seal?, nil): .success(Self.stored(image, seal))
            case (_, let failure?): .failure(failure)
            case (nil, nil): .failure(.storage(.failed, "\(path): the image was not stored"))
            }
        }
    }

    private static func stored(_ image: ReceivedImage, _ seal: StagedFile.Seal) -> StoredImage {
        StoredImage(
            digest: seal.digest, size: seal.size, type: image.type, validators: image.validators,
            fetchedAt: image.fetchedAt, directory: ImageDirectories.files)
    }

    /// Answers with what went wrong with one image alone; throws what concerns them all.
    private func settle(
        _ file: StagedFile?, _ placed: inout PlacedFiles, _ settled: inout Set<Digest>
    ) throws(FeedError) -> Result<StagedFile.Seal, FeedError> {
        guard let file else { return .failure(.storage(.failed, "\(path): the image was not staged here")) }
        let seal: StagedFile.Seal
        do { seal = try file.seal() } catch { return .failure(error) }
        guard settled.insert(seal.digest).inserted else {
            file.discard()
            return .success(seal)
        }
        do {
            try file.place { staged throws(SystemError) in
                try placed.place(staged, from: file.staging.directory, as: seal.digest, size: seal.size)
            }
            return .success(seal)
        } catch {
            settled.remove(seal.digest)
            let failure = error.feedError(.failed)
            if let files = directories.files, ImageFile.isOutOfReach(seal.digest, in: files) {
                return .failure(failure)
            }
            // Where the file is still there it is the directory that is gone, and none would find its place.
            let isGone = try attempt(.failed) { () throws(SystemError) in try !file.isThere() }
            guard error.code == ENOENT, isGone else { throw failure }
            return .failure(failure)
        }
    }

    /// On a full disk the last of them give their room back, some at a time, until there is enough for the rows of the
    /// others: the next run would else download them all again. Answers with what they were given back for.
    private func index(
        _ images: [ReceivedImage], _ seals: inout [StagedFile.Seal?], _ placed: PlacedFiles
    ) async throws(FeedError) -> FeedError? {
        var exhaustion: FeedError?
        while true {
            let isUndone = Atomic(false)
            do throws(FeedError) {
                try await saveRows(images, seals, undoing: { isUndone.store(true, ordering: .relaxed) })
                return exhaustion
            } catch {
                // Else the rows may stand, and need their files.
                guard isUndone.load(ordering: .relaxed) else { throw error }
                let stored = seals.indices.filter { seals[$0] != nil }
                guard stored.count > 1, error.lacksRoom else {
                    placed.takeBack()
                    throw error
                }
                exhaustion = exhaustion ?? error
                for place in stored.suffix(max(1, stored.count / 8)) { seals[place] = nil }
                placed.takeBack(besides: Set(seals.compactMap { $0?.digest }))
            }
        }
    }

    private func saveRows(
        _ images: [ReceivedImage], _ seals: [StagedFile.Seal?], undoing undo: @Sendable () -> Void
    ) async throws(FeedError) {
        try await database.write(
            { connection throws(FeedError) in
                let index = ImageIndex(connection: connection)
                for (place, seal) in seals.enumerated() {
                    if let seal { try index.insert(images[place], seal) }
                }
                let memory = FailureMemory(connection: connection)
                for place in images.indices where seals[place] != nil {
                    try memory.forget(images[place].url, for: images[place].recipients)
                }
            }, undoing: undo)
    }
}
