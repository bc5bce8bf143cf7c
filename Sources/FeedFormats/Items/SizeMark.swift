internal import FeedCore

/// A part of a URL that states the size of an image.
///
/// URLs that differ only in size marks lead to the same image. A further kind of mark is one more row in the table;
/// `ImageIdentity.mayBeMarked` must recognise its characters.
struct SizeMark: Sendable {
    let what: String
    /// URLs of the same image, in ascending order of size.
    ///
    /// The tests compare them.
    let examples: [String]
    /// Whether the mark is in the path rather than in the query.
    let isInPath: Bool
    /// Removes the mark and returns the size that it states; nil for a URL without such a mark.
    let take: @Sendable (inout ImageURLParts) -> Double?

    static let table = [
        SizeMark(
            "parameters of size and format",
            ["b.example/p?id=7&w=300&q=80", "b.example/p?id=7&width=900&ssl=1", "b.example/p?id=7"], isInPath: false
        ) { $0.takeQuery() },
        SizeMark(
            "renditions below the file, at DeviantArt",
            [
                "i.wixmp.com/f/1/p.jpg/v1/fit/w_300,h_200/p-300w.jpg",
                "i.wixmp.com/f/1/p.jpg/v1/fill/w_1280,h_900/p-pre.jpg",
                "i.wixmp.com/f/1/p.jpg",
            ]
        ) { $0.takeRendition(at: "wixmp.com", below: "v1") },
        SizeMark(
            "a component of transformations",
            [
                "s.example/image/fetch/w_600,c_limit/a%2Fp.jpg",
                "s.example/image/fetch/w_1456,c_limit,f_auto/a%2Fp.jpg",
                "s.example/image/fetch/f_auto,q_auto:good/a%2Fp.jpg",
            ]
        ) { $0.takeTransformations() },
        SizeMark(
            "a component of nothing but size",
            [
                "b.example/s72-c/p.jpg", "b.example/w320-h213/p.jpg", "b.example/s640x960/p.jpg",
                "b.example/1280x720/p.jpg",
            ]
        ) { $0.takeComponent() },
        SizeMark(
            "a width before the name",
            [
                "w.example/thumb/a/ab/P.jpg/300px-P.jpg", "w.example/thumb/a/ab/P.jpg/1200px-P.jpg",
                "w.example/a/ab/P.jpg",
            ]
        ) { $0.takePrefix() },
        SizeMark(
            "a size behind the name",
            [
                "b.example/p-512x512-240x240.jpg", "b.example/p-300w.jpg", "b.example/p-500x-crop.jpg",
                "b.example/p-1024x683.jpg", "b.example/p-scaled.jpg", "b.example/p.jpg", "b.example/p@2x.jpg",
            ]
        ) { $0.takeSuffix() },
        SizeMark(
            "a size behind an equals sign",
            ["lh3.example/p=w600-h400", "lh3.example/p=s1600", "lh3.example/p"]
        ) { $0.takeAssigned() },
        SizeMark(
            "Flickr's letters",
            [
                "live.staticflickr.com/1/7_5e_m.jpg", "live.staticflickr.com/1/7_5e.jpg",
                "live.staticflickr.com/1/7_5e_b.jpg",
            ]
        ) { $0.takeLetter(at: "staticflickr.com", flickrSizes, bare: 500) },
        SizeMark(
            "the letters of Flickr's old hosts",
            [
                "farm3.static.flickr.com/1/7_5e_m.jpg", "farm3.static.flickr.com/1/7_5e.jpg",
                "farm3.static.flickr.com/1/7_5e_b.jpg",
            ]
        ) { $0.takeLetter(at: "flickr.com", flickrSizes, bare: 500) },
    ]

    private static let flickrSizes: [String: Double] = [
        "s": 75, "q": 150, "t": 100, "m": 240, "n": 320, "w": 400, "z": 640, "c": 800, "b": 1024, "h": 1600, "k": 2048,
        "3k": 3072, "4k": 4096, "f": 4096, "5k": 5120, "6k": 6144, "o": 10_000,
    ]

    private init(
        _ what: String, _ examples: [String], isInPath: Bool = true,
        _ take: @escaping @Sendable (inout ImageURLParts) -> Double?
    ) {
        (self.what, self.examples, self.isInPath, self.take) = (what, examples, isInPath, take)
    }
}
