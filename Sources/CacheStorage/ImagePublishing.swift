internal import FeedCore
internal import Glibc

extension ImageDirectory {
    /// In this order, so that whenever the power fails, a row names a file whose bytes are there: the bytes to disk, the
    /// names into the folder, the folder to disk, the rows.
    func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [FeedError?] {
        guard let staging, let files = folders.files else { throw readOnly }
        let staged = images.map { image -> StagedFile? in
            guard let file = image.bytes as? StagedFile, file.staging === staging else { return nil }
            return file
        }
        completeImages.finish()
        Crew.share(Self.hashingThreads, among: Self.hashingThreads) { part in
            let first = staged.count * part / Self.hashingThreads
            let end = staged.count * (part + 1) / Self.hashingThreads
            StagedFile.hash(staged[first..<end].compactMap(\.self))
        }
        Crew.shareWaiting(staged.count, among: Staging.syncingThreads) { staged[$0]?.makeDurable() }

        var failures = [FeedError?](repeating: nil, count: images.count)
        var seals = [StagedFile.Seal?](repeating: nil, count: images.count)
        var placed: Set<Digest> = []
        for (place, file) in staged.enumerated() {
            switch try settle(file, in: files, &placed) {
            case .success(let seal): seals[place] = seal
            case .failure(let failure):
                images[place].bytes.discard()
                failures[place] = failure
            }
        }
        try await index(images, seals, in: files)
        return failures
    }

    /// Answers with what went wrong with one image alone; throws what concerns them all.
    private func settle(
        _ file: StagedFile?, in files: Descriptor, _ placed: inout Set<Digest>
    ) throws(FeedError) -> Result<StagedFile.Seal, FeedError> {
        guard let file else { return .failure(.storage(.failed, "\(path): the image was not staged here")) }
        let seal: StagedFile.Seal
        do { seal = try file.seal() } catch { return .failure(error) }
        guard placed.insert(seal.digest).inserted else {
            file.discard()
            return .success(seal)
        }
        do {
            try place(file, as: seal, in: files)
        } catch {
            guard error.code == ENOENT else { throw error.feedError(.failed) }
            placed.remove(seal.digest)
            return .failure(error.feedError(.failed))
        }
        return .success(seal)
    }

    private func place(_ file: StagedFile, as seal: StagedFile.Seal, in files: Descriptor) throws(SystemError) {
        try file.place { staged throws(SystemError) in
            try ImageFile.place(staged, from: file.staging.folder, as: seal.digest, size: seal.size, in: files)
        }
    }

    private func index(
        _ images: [ReceivedImage], _ seals: [StagedFile.Seal?], in files: Descriptor
    ) async throws(FeedError) {
        guard seals.contains(where: { $0 != nil }) else { return }
        try attempt(.failed) { () throws(SystemError) in try files.synchronise() }
        try await database.write { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            for (place, seal) in seals.enumerated() {
                if let seal { try index.insert(images[place], seal) }
            }
            let stored = images.indices.lazy.filter { seals[$0] != nil }
            try FailureMemory(connection: connection).forget(stored.map { images[$0].url })
        }
    }
}
