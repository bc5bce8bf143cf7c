import TestSupport
import Testing

extension GalleryBrowserTests {
    /// Drawings that would make a browser request `SPY`, each in its own way.
    private static let spies = [
        "<image href='SPY' width='9' height='9'/>", "<image xlink:href='SPY' width='9' height='9'/>",
        "<rect width='9' height='9' style='fill:url(SPY#a)'/>", "<style>@import 'SPY';</style>",
        "<style>svg{background:url(&quot;SPY&quot;)}</style>", "<style>svg{background:u\\72l(SPY)}</style>",
        "<style>@font-face{font-family:a;src:url(SPY)}</style><text y='9' style='font-family:a'>a</text>",
        "<style>svg{background:image-set('SPY' 1x)}</style>", "<use href='SPY#a'/>",
        "<filter id='f'><feImage href='SPY'/></filter><rect width='9' height='9' filter='url(#f)'/>",
        "<image title='&lt;a ' href='SPY' width='9' height='9'/>",
        "<image width='9' height='9'><set attributeName='href' to='SPY'/></image>",
        "<image width='9' height='9'><animate attributeName='xlink:href' values='SPY;SPY' dur='1s'/></image>",
        "<h:img xmlns:h='http://www.w3.org/1999/xhtml' src='SPY'/>",
        "<h:video xmlns:h='http://www.w3.org/1999/xhtml' poster='SPY'/>",
        "<h:link xmlns:h='http://www.w3.org/1999/xhtml' rel='stylesheet' href='SPY'/>",
        "<h:input xmlns:h='http://www.w3.org/1999/xhtml' type='image' src='SPY'/>",
    ]
    private static let drawings = [
        "<rect width='9' height='9' fill='url(#a)'/><a href='SPY'><circle r='3'/></a>",
        "<image href='data:image/png;base64,AAAA' width='9' height='9'/><use href='#a'/>",
    ]

    @Test("An SVG file of the gallery that is opened by itself makes no requests", arguments: Place.allCases)
    func svgByItself(_ place: Place) async throws {
        let program = try Program()
        let server = try FeedServer(images: 0)
        let path = program.directory.path("site")
        let bodies = Self.spies + Self.drawings
        for (number, body) in bodies.enumerated() {
            let text = """
                <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' viewBox='0 0 9 9'>\
                <!-- \(number) -->\(body.replacing("SPY", with: server.server.url("/spy/\(number)")))</svg>
                """
            server.serve(Reply(headers: [("Content-Type", "image/svg+xml")], body: Array(text.utf8)), at: number)
        }
        server.serve(feedOf: bodies.indices.map(server.imageURL))
        try await program.run(server.feedURL)
        try await program.run("gallery", path)
        let images = Files.names(in: "\(path)/images")
        let before = server.requestCount
        try await withPage { page in
            let nginx = place == .onServer ? try await Nginx(serving: path) : nil
            let origin = nginx?.url("/") ?? "file://\(path)/"
            for image in images {
                try await page.open("\(origin)images/\(image)")
                #expect(page.requests.filter { !$0.hasPrefix(origin) && !$0.hasPrefix("data:") } == [], "\(image)")
            }
            withExtendedLifetime(nginx) {}
        }
        #expect(server.paths(after: before) == [])
        #expect(images.count == Self.drawings.count)
    }
}
