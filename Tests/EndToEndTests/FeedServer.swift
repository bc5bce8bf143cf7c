import TestSupport

/// A loopback server with a feed of images, `/0.png` and on, in the Essential format.
final class FeedServer: Sendable {
    let server: LoopbackServer

    var feedURL: String { server.url("/feed.json") }

    init(images count: Int) throws {
        server = try LoopbackServer()
        serve(images: Array(0..<count))
    }

    /// The feed names these from now on, and the server has them.
    func serve(images numbers: [Int]) {
        server.route("/feed.json", .text(Self.feed(numbers.map { server.url("/\($0).png") })))
        for number in numbers {
            server.route("/\(number).png", Reply(headers: [("Content-Type", "image/png")], body: Self.image(number)))
        }
    }

    static func image(_ number: Int) -> [UInt8] { Samples.png("image \(number)") }

    static func feed(_ urls: [String]) -> String {
        let items = urls.enumerated().map { number, url in
            #"{"id":"\#(id(number))","description":"Picture \#(number)","image":"\#(url)"}"#
        }
        return #"{"items":[\#(items.joined(separator: ","))]}"#
    }

    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
