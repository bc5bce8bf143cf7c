/// The kinds of image that are known, by what they are rather than by what a server calls them.
package enum ImageType: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, avif, heic, bmp, tiff, ico, jxl, svg

    package var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        default: "image/\(rawValue)"
        }
    }

    /// As in the name of a file, without the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Looked up for every image of a run.
    private static let byMediaType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.mediaType, $0) })

    package init?(mediaType: String) {
        guard let type = Self.byMediaType[mediaType] else { return nil }
        self = type
    }
}
