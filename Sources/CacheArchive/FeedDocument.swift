internal import Dispatch
internal import FeedCore
internal import JSONText

/// A feed as an archive has it.
struct FeedDocument {
    /// An image's data, as the document tells of it.
    struct ImageData {
        let digest: Digest
        let validators: Validators
    }

    private static let groupsAhead = 2

    /// Visits the bytes of the document, a chunk at a time.
    typealias Source = (_ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) -> Void

    private let source: Source
    private let name: String

    /// `name` is what messages call it.
    init(name: String, _ source: @escaping Source) {
        self.name = "\(name) (a feed document)"
        self.source = source
    }

    /// All but the images, which are passed over.
    func readHead() throws(FeedError) -> FeedHead {
        var splitter = DocumentSplitter()
        try source { chunk throws(FeedError) in try splitter.take(chunk) { _ in } }
        if splitter.isInList {
            throw .invalidData("\(name): images: the list has no end, or brackets that don't match")
        }
        if splitter.endsInComma { throw .invalidData("\(name): images: a comma with no image behind it") }
        return try OCILayout.read(splitter.rest, of: name) { reader throws(JSONError) in
            try Self.readHead(&reader)
        }
    }

    /// Visits the images of the feed with this head in order, of which the next are read on another thread meanwhile.
    func forEachImage(
        of feed: FeedHead, _ visit: (FeedImage, ImageData?) throws(FeedError) -> Void
    ) throws(FeedError) {
        let queue = DispatchQueue(label: "feedsync.documents")
        var ahead: [Job<ReadImages>] = []
        var count = 0
        func visitNext() throws(FeedError) {
            let read = try ahead.removeFirst().outcome()
            for (image, data) in read.images { try visit(image, data) }
            if let fault = read.fault {
                throw .invalidData("\(name)\(count == 0 ? "" : ", counted from image \(count)"): \(fault)")
            }
            count += read.images.count
        }
        var splitter = DocumentSplitter()
        try source { chunk throws(FeedError) in
            try splitter.take(chunk) { group throws(FeedError) in
                let reading = Job { Self.readImages(group, of: feed) }
                queue.async { reading.perform() }
                ahead.append(reading)
                if ahead.count > Self.groupsAhead { try visitNext() }
            }
        }
        while !ahead.isEmpty { try visitNext() }
    }

    /// Images, and what is wrong with the one behind them.
    private struct ReadImages {
        var images: [(FeedImage, ImageData?)] = []
        var fault: JSONError?
    }

    private static func readImages(_ group: [UInt8], of feed: FeedHead) -> ReadImages {
        var read = ReadImages()
        // As they stand in the document, so that messages name them as it does.
        let text = Array("{\"images\":[".utf8) + group + Array("]}".utf8)
        do throws(JSONError) {
            try OCILayout.parse(text) { reader throws(JSONError) in
                try JSONObject.read(&reader, ["images"]) { _, reader throws(JSONError) in
                    try reader.enterArray()
                    while try reader.nextElement() { read.images.append(try readImage(&reader, of: feed)) }
                }
            }
        } catch {
            read.fault = error
        }
        return read
    }
}
