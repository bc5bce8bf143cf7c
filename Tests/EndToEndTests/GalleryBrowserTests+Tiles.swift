import JSONText
import TestSupport
import Testing

/// The layout of the pages in windows of all sizes.
extension GalleryBrowserTests {
    private static let long = """
        Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft, seen from a hill above the \
        river on a day on which the weather was better than the forecast had said
        """

    /// Describes each text that is cut or outside the window, each small link, and a page that is wider than the window.
    private static let faults = """
        (() => {
          const faults = [];
          const root = document.querySelector('dialog[open]') || document.body;
          for (const element of root.querySelectorAll('*')) {
            const style = getComputedStyle(element);
            const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
            if (!hasText || !element.checkVisibility() || style.clipPath !== 'none') continue;
            const box = element.getBoundingClientRect();
            const name = element.outerHTML.slice(0, 90);
            if (box.left < -1 || box.right > innerWidth + 1) faults.push('outside: ' + name);
            const isBlock = style.display !== 'inline';
            if (isBlock && element.scrollWidth > element.clientWidth + 1) faults.push('too wide: ' + name);
            const isLimited = element.matches('figcaption p');
            if (isBlock && !isLimited && element.scrollHeight > element.clientHeight + 1) faults.push('cut: ' + name);
            if (element.matches('.links a, .button, nav a') && box.height < 24) faults.push('small: ' + name);
          }
          if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
          for (const tile of document.querySelectorAll('.images figure')) {
            let end = -Infinity;
            for (const row of [tile.querySelector('a, .problem'), ...tile.querySelector('figcaption').children]) {
              const box = row.getBoundingClientRect();
              if (box.top < end - 1) faults.push('overlaps: ' + row.outerHTML.slice(0, 90));
              end = box.bottom;
            }
          }
          return faults;
        })()
        """

    private func site() async throws -> GallerySite {
        let site = try await GallerySite(images: 9, missing: [4]) { number in
            let description = number % 3 == 1 ? "صورة للبحر في المساء مع وصف طويل" : Self.long
            return #""description":"\#(description)","location":"Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio""#
        }
        try await site.program.sayMore()
        try await site.program.sql("UPDATE feeds SET title = '\(Self.long)'")
        let other = try FeedServer(images: 3)
        try await site.program.run(other.feedURL)
        try await site.write()
        return site
    }

    @Test(
        "No text is cut, overlaps another or leaves the window, and links are large enough",
        arguments: [320, 390, 768, 1440])
    func tiles(width: Int) async throws {
        let site = try await site()
        let pages = ["index.html", "newest.html"] + Files.names(in: site.path).filter { $0.hasPrefix("127-0-0-1-") }
        let looks = [Look(width: width, height: 800), Look(width: width, height: 800, isPhone: true, isDark: true)]
        for (look, place) in looks.flatMap({ look in Place.allCases.map { (look, $0) } }) {
            try await withPage(look) { page in
                let (_, origin, nginx) = try await self.place(site, place)
                func expectNoFaults(_ name: String) async throws {
                    #expect(try await page.evaluate(Self.faults) == [], "\(name) \(place)")
                    #expect(try await page.accessibilityFaults() == [], "\(name) \(place)")
                }
                for name in pages where name.hasSuffix(".html") {
                    try await page.open("\(origin)\(name)")
                    try await expectNoFaults(name)
                }
                try await page.open("\(origin)newest.html")
                // The first image can be below the window.
                try await page.evaluate("document.querySelector('.images img').click()")
                try await page.wait(for: "document.querySelector('.facts .links')")
                try await expectNoFaults("the large view")
                try await page.evaluate("document.querySelector('.view').scrollTop = 1e6")
                #expect(try await page.evaluate(Self.buttonsOverFacts) == 0)
                #expect(page.errors == [])
                withExtendedLifetime(nginx) {}
            }
        }
    }

    /// Counts the buttons of the large view that cover the text below the image.
    private static let buttonsOverFacts = """
        [...document.querySelectorAll('.view .previous, .view .next')].filter(button =>
            button.getBoundingClientRect().bottom > document.querySelector('.facts').getBoundingClientRect().top + 1).length
        """

    @Test("A description of either direction begins at the edge of its tile", arguments: ["", "ar"])
    func descriptions(language: String) async throws {
        let site = try await GallerySite(images: 2) { #""description":"\#($0 == 0 ? "صورة من البحر" : "The sea")""# }
        try await site.program.sql("UPDATE feeds SET language = nullif('\(language)', '')")
        try await site.write()
        let (edge, direction) = language == "ar" ? ("right", "rtl") : ("left", "ltr")
        func distances(_ texts: String) -> String {
            """
            [...document.querySelectorAll('\(texts)')].map(text => Math.round(text.getBoundingClientRect().\(edge)
                - text.parentElement.getBoundingClientRect().\(edge)))
            """
        }
        try await withPage { page in
            try await page.open(site.onDisk)
            #expect(try await page.evaluate(distances("figcaption p")) == [0, 0])
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('.facts')")
            let facts = "getComputedStyle(document.querySelector('.facts')).direction"
            #expect(try await page.evaluate(facts) == .string(direction))
        }
    }

    @Test("The cover of a feed of strips shows the beginning of its first strip") func covers() async throws {
        let site = try await GallerySite(images: 1)
        let made = try await site.program.shell(
            """
            set -e; cd "$1"; vips gaussnoise a.v 480 1920; vips cast a.v b.v uchar; vips copy b.v strip.png
            """, site.program.directory.path)
        #expect(made.status == .exited(0), "\(made.errorText)")
        let strip = try Files.bytes(site.program.directory.path("strip.png"))
        let other = try FeedServer(images: 1)
        other.serve(Reply(headers: [("Content-Type", "image/png")], body: strip), at: 0)
        try await site.program.run(other.feedURL)
        try await site.write()
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.wait(for: "[...document.querySelectorAll('.cover img')].every(image => image.naturalWidth)")
            let strip = "[...document.querySelectorAll('.cover img')].find(i => i.naturalHeight > 2 * i.naturalWidth)"
            #expect(try await page.evaluate("getComputedStyle(\(strip)).objectPosition") == "50% 0%")
            // The small thumbnail has 120 pixels.
            #expect(try await page.evaluate("\(strip).naturalWidth") == 240)
        }
    }

    @Test("A description is read aloud once, and the link around the image has a short name")
    func readAloud() async throws {
        let site = try await GallerySite(images: 2) { $0 == 0 ? #""description":"The sea""# : #""location":"Here""# }
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.call("Accessibility.enable")
            let nodes = try await page.call("Accessibility.getFullAXTree")["nodes"]?.array ?? []
            let names = nodes.filter { $0["ignored"]?.bool != true && $0["role"]?["value"] != "InlineTextBox" }
                .compactMap { $0["name"]?["value"]?.string }
            #expect(names.filter { $0.contains("The sea") }.count == 1)
            let links = nodes.filter { $0["role"]?["value"] == "link" }.compactMap { $0["name"]?["value"]?.string }
            #expect(links.filter { $0.hasPrefix("Image ") } == ["Image 1", "Image 2"])
        }
    }

    @Test("On a phone, the first image begins in the upper third of the screen", arguments: [320, 390])
    func firstImage(width: Int) async throws {
        let site = try await GallerySite(images: 2)
        let other = try FeedServer(images: 1)
        try await site.program.run(other.feedURL)
        try await site.program.sql("UPDATE feeds SET title = 'Landscapes'")
        try await site.write()
        try await withPage(Look(width: width, height: 780, isPhone: true)) { page in
            for name in Files.names(in: site.path) where name.hasSuffix(".html") {
                try await page.open("file://\(site.path)/\(name)")
                let top = "document.querySelector('main img').getBoundingClientRect().top / innerHeight"
                #expect(try await page.evaluate("\(top) < 1 / 3") == true, "\(name)")
            }
        }
    }

    @Test("A heading of either direction begins at the edge of the page", arguments: ["", "ar"])
    func headings(language: String) async throws {
        let site = try await GallerySite(images: 1)
        try await site.program.sql("UPDATE feeds SET title = 'صور من البحر', language = nullif('\(language)', '')")
        try await site.write()
        try await withPage { page in
            try await page.open(site.onDisk)
            let edge =
                language == "ar"
                ? "innerWidth - document.querySelector('h1').getBoundingClientRect().right"
                : "document.querySelector('h1').getBoundingClientRect().left"
            #expect(try await page.evaluate("\(edge) < 60") == true)
            #expect(try await page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "rtl")
        }
    }
}
