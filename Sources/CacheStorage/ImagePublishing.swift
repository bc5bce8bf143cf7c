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
        Crew.share(Self.hashingThreads, among: Self.hashingThreads) { part in
            let first = staged.count * part / Self.hashingThreads
            let end = staged.count * (part + 1) / Self.hashingThreads
            StagedFile.hash(staged[first..<end].compactMap(\.self))
        }
        Crew.shareWaiting(staged.count, among: Staging.syncingThreads) { staged[$0]?.makeDurable() }

        var failures: [FeedError?] = []
        var rows: [(image: ReceivedImage, seal: StagedFile.Seal)] = []
        var placed: Set<Digest> = []
        for (image, file) in zip(images, staged) {
            switch try settle(file, in: files, &placed) {
            case .success(let seal):
                rows.append((image, seal))
                failures.append(nil)
            case .failure(let failure):
                image.bytes.discard()
                failures.append(failure)
            }
        }
        try await index(rows, in: files)
        return failures
    }

    /// Answers with what went wrong with one image alone; throws what concerns them all.
    private func settle(
        _ file: StagedFile?, in files: Descriptor, _ placed: inout Set<Digest>
    ) throws(FeedError) -> Result<StagedFile.Seal, FeedError> {
        guard let file else { return .failure(.storage(.failed, "\(path): the image was not staged here")) }
        let seal: StagedFile.Seal
        do { seal = try file.seal() } catch { return .failure(error) }
        if placed.contains(seal.digest) {
            file.discard()
            return .success(seal)
        }
        do {
            try place(file, as: seal, in: files)
        } catch {
            if error.code == ENOENT { return .failure(error.feedError(.failed)) }
            throw error.feedError(.failed)
        }
        placed.insert(seal.digest)
        return .success(seal)
    }

    private func place(_ file: StagedFile, as seal: StagedFile.Seal, in files: Descriptor) throws(SystemError) {
        try file.place { staged throws(SystemError) in
            try ImageFile.place(staged, from: file.staging.folder, as: seal.digest, size: seal.size, in: files)
        }
    }

    private func index(
        _ rows: [(image: ReceivedImage, seal: StagedFile.Seal)], in files: Descriptor
    ) async throws(FeedError) {
        guard !rows.isEmpty else { return }
        try attempt(.failed) { () throws(SystemError) in try files.synchronise() }
        try await database.write { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            for row in rows { try index.insert(row.image, row.seal) }
            try FailureMemory(connection: connection).forget(rows.lazy.map(\.image.url))
        }
    }
}
