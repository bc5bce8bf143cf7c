/// The known types of images. The bytes of an image decide, rather than what a server says.
package enum ImageType: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, avif, heic, bmp, tiff, ico, jxl, svg

    package var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        default: "image/\(rawValue)"
        }
    }

    /// The suffix of file names, without the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// A table, because every image of a run is looked up.
    private static let byMediaType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.mediaType, $0) })

    package init?(mediaType: String) {
        guard let type = Self.byMediaType[mediaType] else { return nil }
        self = type
    }
}
