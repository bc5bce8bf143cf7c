import TestSupport

/// A loopback server with a feed of images, `/0.png` and following, in the Essential format.
final class FeedServer: Sendable {
    let server: LoopbackServer

    var feedURL: String { server.url("/feed.json") }

    /// The server's name and port.
    var authority: String { String(server.url("").dropFirst("http://".count)) }

    init(images count: Int) throws {
        server = try LoopbackServer()
        serve(images: Array(0..<count))
    }

    func imageURL(_ number: Int) -> String { server.url("/\(number).png") }

    /// Serves a feed of these images and the images themselves from now on.
    func serve(images numbers: [Int]) {
        serve(feedOf: numbers.map(imageURL))
        for number in numbers { serve(.png(number), at: number) }
    }

    func serve(feedOf urls: [String]) { serve(feed: Self.feed(urls)) }

    func serve(feed text: String) { server.route("/feed.json", .text(text)) }

    func serve(_ reply: Reply, at image: Int) { server.route("/\(image).png", reply) }

    /// Returns the requested paths in order, after the first `count` requests.
    func paths(after count: Int = 0) -> [String] { server.requests.dropFirst(count).map(\.path) }

    var requestCount: Int { server.requests.count }

    static func image(_ number: Int) -> [UInt8] { Samples.png("image \(number)") }

    static func feed(_ urls: [String]) -> String {
        feed(items: urls.enumerated().map { #"{"id":"\#(id($0))","description":"Image \#($0)","image":"\#($1)"}"# })
    }

    static func feed(items: [String]) -> String { #"{"items":[\#(items.joined(separator: ","))]}"# }

    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension Reply {
    static func png(_ number: Int) -> Reply { image(FeedServer.image(number)) }

    static func image(_ bytes: [UInt8]) -> Reply { Reply(headers: [("Content-Type", "image/png")], body: bytes) }
}
