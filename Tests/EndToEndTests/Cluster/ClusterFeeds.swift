import JSONText
import TestSupport

/// Feeds of one image each on several hosts, `127.0.0.1` and following, as a list that can be divided into parts.
struct ClusterFeeds {
    let server: LoopbackServer
    let urls: [String]
    /// The list as OPML.
    let list: String

    init(hosts: Int, onEach count: Int) throws {
        server = try LoopbackServer(onAllOfLoopback: true)
        var urls: [String] = []
        for host in 1...hosts {
            let origin = server.url("").replacing("127.0.0.1", with: "127.0.0.\(host)")
            for number in 0..<count {
                let image = Self.image(host, number)
                server.route(image, .image(Samples.png(image)))
                server.route("/\(host)-\(number).json", .text(FeedServer.feed([origin + image])))
                urls.append("\(origin)/\(host)-\(number).json")
            }
        }
        self.urls = urls
        list = "<opml><body>\(urls.map { "<outline xmlUrl=\"\($0)\"/>" }.joined())</body></opml>"
    }

    static func image(_ host: Int, _ number: Int) -> String { "/\(host)-\(number).png" }
}
