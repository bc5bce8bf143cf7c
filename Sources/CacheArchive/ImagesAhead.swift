internal import Dispatch
internal import FeedCore

/// The bytes of images one after another: while the caller is at some of them, one thread reads the next, and another
/// hashes what was read, many images side by side.
final class ImagesAhead {
    struct Image {
        let digest: Digest
        let size: Int64
    }

    /// One is being used, one hashed and one read, and one that waits to be.
    private static let buffers = 4

    private let reader: BatchReader
    private let reading = DispatchQueue(label: "feedsync.reading")
    private let hashing = DispatchQueue(label: "feedsync.hashing")
    private var images: ArraySlice<Image>
    /// How much of the first of them is in a batch already.
    private var offset: Int64 = 0
    private var ahead: [ImageBatch] = []
    private var unused = (0..<buffers).map { _ in BatchBuffer() }
    private var current: ImageBatch?
    private var parts: ArraySlice<ImageBatch.Part> = []

    init(_ images: [Image], from source: any ImageBytes) {
        self.images = images[...]
        reader = BatchReader(source)
        readAhead()
    }

    /// Visits the bytes of the next image, a chunk at a time. Throws if it is damaged, or one before it was.
    func next(_ visit: (UnsafeRawBufferPointer) throws(FeedError) -> Void) throws(FeedError) {
        while true {
            if parts.isEmpty { try goOn() }
            guard let part = parts.popFirst(), let current else { return }
            try visit(current.buffer[part.place])
            if part.isEnd { return }
        }
    }

    /// Waits until all that was read is hashed. Throws if anything of it is damaged.
    func finish() throws(FeedError) {
        reading.sync {}
        hashing.sync {}
        try reader.check()
    }

    private func goOn() throws(FeedError) {
        if let current {
            current.isHashed.wait()
            unused.append(current.buffer)
        }
        current = nil
        readAhead()
        guard !ahead.isEmpty else { throw .storage(.failed, "there are no more images") }
        let next = ahead.removeFirst()
        next.isRead.wait()
        try reader.check()
        current = next
        parts = next.parts[...]
    }

    private func readAhead() {
        while let buffer = unused.last, case let parts = nextParts(), !parts.isEmpty {
            unused.removeLast()
            let batch = ImageBatch(parts, in: buffer)
            ahead.append(batch)
            reading.async { [reader, hashing] in
                reader.read(batch)
                hashing.async { reader.hash(batch) }
            }
        }
    }

    /// As many images as fit into a buffer, or a part of one that doesn't. None at the end.
    private func nextParts() -> [ImageBatch.Part] {
        var parts: [ImageBatch.Part] = []
        var room = BatchBuffer.size
        while let image = images.first {
            let left = image.size - offset
            if left > room, !parts.isEmpty { break }
            let count = Int(min(left, Int64(room)))
            let start = BatchBuffer.size - room
            parts.append(ImageBatch.Part(image: image, offset: offset, place: start..<start + count))
            room -= count
            offset += Int64(count)
            if count < left { break }
            images.removeFirst()
            offset = 0
        }
        return parts
    }
}
