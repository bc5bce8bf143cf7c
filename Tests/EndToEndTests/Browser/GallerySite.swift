import Glibc
import TestSupport

/// A gallery that the program wrote of images from a feed's server.
struct GallerySite {
    let program: Program
    let server: FeedServer
    let path: String

    /// Makes a gallery.
    ///
    /// `texts` are the members of each item besides its id and image, as JSON.
    init(images count: Int, missing: Set<Int> = [], texts: (Int) -> String = { #""description":"Image \#($0)""# })
        async throws
    {
        program = try Program()
        server = try FeedServer(images: 0)
        path = program.directory.path("site")
        let items = (0..<count).map { number in
            #"{"id":"\#(FeedServer.id(number))",\#(texts(number)),"image":"\#(server.imageURL(number))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
        for number in 0..<count {
            server.serve(missing.contains(number) ? Reply(404) : .image(Self.image(number)), at: number)
        }
        try await program.run(server.feedURL)
        try await write()
    }

    func write(_ options: String...) async throws {
        let result = try await program.run(["gallery", path] + options)
        guard result.status == .exited(0) else { throw SystemFailure(result.errorText) }
    }

    var onDisk: String { "file://\(path)/index.html" }

    /// The feed's pages after the first one, in their order.
    var furtherPages: [String] {
        Files.names(in: path).filter { $0.hasSuffix(".html") && $0.split(separator: ".").count == 3 }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// The name of the feed's first page.
    var firstPage: String { furtherPages.first?.replacing(".2.", with: ".") ?? "" }

    /// The files of the gallery's images.
    var images: [String] { Files.names(in: "\(path)/images") }

    /// Returns an image of one colour and a given size: a lossless WebP in which each channel has one value, so that
    /// pixels take no space.
    static func image(_ number: Int) -> [UInt8] {
        let (width, height) = size(number)
        var bits: [Int] = []
        func append(_ value: Int, _ count: Int) { bits += (0..<count).map { value >> $0 & 1 } }
        append(width - 1, 14)
        append(height - 1, 14)
        // The header has no alpha, version 0, no transforms, no colour cache and no code groups.
        append(0, 1 + 3 + 3)
        for channel in [60 + number * 31 % 160, 60 + number * 17 % 160, 60 + number * 53 % 160, 255] {
            // The code has one symbol of eight bits.
            append(0b101, 3)
            append(channel, 8)
        }
        // The code of distances is empty.
        append(0b0001, 4)
        let data = stride(from: 0, to: bits.count, by: 8).map { start in
            UInt8(bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 })
        }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let padded = content + [UInt8](repeating: 0, count: content.count % 2)
            let length = (0..<4).map { UInt8(truncatingIfNeeded: padded.count >> (8 * $0)) }
            return Array(name.utf8) + length + padded
        }
        return chunk("RIFF", Array("WEBP".utf8) + chunk("VP8L", [0x2F] + data))
    }

    /// The sizes of landscapes, portraits and squares.
    ///
    /// Neighbours always differ.
    static func size(_ number: Int) -> (width: Int, height: Int) {
        let shapes = [(150, 100), (100, 130), (120, 120), (160, 90), (99, 132), (240, 100), (128, 96)]
        let (width, height) = shapes[number % shapes.count]
        return (width + number / shapes.count % 3, height)
    }
}
