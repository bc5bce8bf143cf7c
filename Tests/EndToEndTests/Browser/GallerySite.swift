import Glibc
import TestSupport

/// A gallery of pictures that were served by a feed's server, written by the program.
struct GallerySite {
    let program: Program
    let server: FeedServer
    let path: String

    /// `texts` are the members of each item besides its id and image, as JSON.
    init(pictures count: Int, missing: Set<Int> = [], texts: (Int) -> String = { #""description":"Picture \#($0)""# })
        async throws
    {
        program = try Program()
        server = try FeedServer(images: 0)
        path = program.folder.path("site")
        let items = (0..<count).map { number in
            #"{"id":"\#(FeedServer.id(number))",\#(texts(number)),"image":"\#(server.imageURL(number))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
        for number in 0..<count {
            server.serve(missing.contains(number) ? Reply(404) : .image(Self.picture(number)), at: number)
        }
        try await program.run(server.feedURL)
        try await write()
    }

    func write(_ options: String...) async throws {
        let result = try await program.run(["gallery", path] + options)
        guard result.status == .exited(0) else { throw SystemFailure(result.errorText) }
    }

    var onDisk: String { "file://\(path)/index.html" }

    /// The files of its pictures.
    var images: [String] { Files.names(in: "\(path)/images") }

    /// One colour, in a size of its own: a bitmap, which needs no compression.
    static func picture(_ number: Int) -> [UInt8] {
        let (width, height) = size(number)
        let rowLength = (width * 3 + 3) / 4 * 4
        var bytes = Array("BM".utf8)
        func append(_ value: Int, _ size: Int) {
            for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }
        append(54 + rowLength * height, 4)
        append(0, 4)
        append(54, 4)
        append(40, 4)
        append(width, 4)
        append(height, 4)
        append(1, 2)
        append(24, 2)
        append(0, 24)
        let colour = [UInt8(60 + number * 53 % 160), UInt8(60 + number * 31 % 160), UInt8(60 + number * 17 % 160)]
        for _ in 0..<height {
            for _ in 0..<width { bytes += colour }
            for _ in 0..<(rowLength - width * 3) { bytes.append(0) }
        }
        return bytes
    }

    /// Landscapes, portraits and squares; no two next to each other alike.
    static func size(_ number: Int) -> (width: Int, height: Int) {
        let shapes = [(150, 100), (100, 150), (120, 120), (160, 90), (99, 132), (240, 100), (128, 96)]
        let (width, height) = shapes[number % shapes.count]
        return (width + number / shapes.count % 3, height)
    }
}
