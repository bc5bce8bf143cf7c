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

    package init?(mediaType: String) {
        guard let type = Self.allCases.first(where: { $0.mediaType == mediaType }) else { return nil }
        self = type
    }
}
