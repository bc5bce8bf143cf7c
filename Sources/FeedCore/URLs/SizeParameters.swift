/// The names of the query parameters by which a URL says in which size or format it gives an image.
package enum SizeParameters {
    /// The parameters whose value can be a length in pixels.
    package static let sides: Set<String> = [
        "w", "width", "maxwidth", "s", "size", "sz", "resize", "fit", "h", "height", "format",
    ]

    package static let all = sides.union([
        "q", "quality", "crop", "auto", "fm", "dpr", "ssl", "strip", "zoom",
    ])
}
