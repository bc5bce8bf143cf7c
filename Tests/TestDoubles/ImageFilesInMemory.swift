package import FeedCore
internal import Glibc

/// The files of images in memory.
///
/// A file on disk is made only where a test puts one.
struct ImageFilesInMemory: ImageFiles {
    let cache: InMemoryCache

    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        let bytes = try cache.withContents { contents throws(FeedError) in contents.data[image.digest] }
        guard let bytes, bytes.count == image.size else {
            throw .notFound("\(image.path): the image is damaged or gone")
        }
        return OpenBytes(bytes)
    }
}

package struct OpenBytes: OpenImage {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var size: Int { bytes.count }

    package func read(_ count: Int, at offset: Int) -> [UInt8] { Array(bytes.dropFirst(offset).prefix(count)) }

    package func place(at path: String, as placement: ImagePlacement) throws(FeedError) -> Bool {
        guard placement == .copy else { return false }
        try place(at: path)
        return true
    }

    package func place(at path: String) throws(FeedError) {
        guard let file = fopen(path, "wx") else { throw .storage(.failed, "\(path): can't be created") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
}
