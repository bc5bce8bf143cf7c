import JSONText
import TestSupport
import Testing

/// Loading more images on scrolling.
extension GalleryBrowserTests {
    /// Whether the data of a page was read.
    private static let isRead = """
        performance.getEntriesByType('resource').some(entry => entry.name.includes('/data/'))
            && !document.head.querySelector('script[src^=data]')
        """

    /// Records the page's links to other pages from the start, whenever they change.
    private static let noteLinks = """
        window.links = [];
        new MutationObserver(() => {
          if (document.readyState === 'loading') return;
          const now = [...document.querySelectorAll('.pages a')].map(a => a.getAttribute('href')).join(' ');
          if (now !== links.at(-1)) links.push(now);
        }).observe(document, { childList: true, subtree: true, attributes: true });
        """

    @Test("A page unfolds no page of another edition, and keeps the link to it", arguments: [true, false])
    func otherMaking(isOther: Bool) async throws {
        let site = try await GallerySite(images: 202)
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, .onServer)
            try await page.open(url)
            // A feed that is only confirmed has another date and the same pages.
            if isOther { site.server.serve(feedOf: (0..<202).reversed().map(site.server.imageURL)) }
            try await site.program.run(site.server.feedURL)
            try await site.write()
            try await page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
            try await page.wait(for: Self.isRead)
            let count = try await page.evaluate("document.querySelectorAll('.images figure').length").int
            #expect(count == (isOther ? 200 : 202))
            let next = try await page.evaluate("document.querySelector('.pages a[rel=next]')?.getAttribute('href')")
            #expect(next.string == (isOther ? site.furtherPages.first : nil))
            #expect(page.errors == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("The data of a gallery passes its content to no foreign page on the disk") func foreignPage() async throws {
        let site = try await GallerySite(images: 1)
        let data = try #require(Files.names(in: "\(site.path)/data").first)
        // The edition can be computed from the images.
        let html = String(decoding: try Files.bytes("\(site.path)/index.html"), as: UTF8.self)
        let edition = html.split(separator: "data-edition=").last?.prefix { $0.isLetter || $0.isNumber } ?? ""
        let other = try site.program.directory.write(
            """
            <!doctype html><title>Other</title><script>
            window.told = []; window.tries = 0; window.receive = content => told.push(content);
            const keys = ['\(edition)', 'undefined', '', { toString: () => 'x' }];
            Object.defineProperty(document.documentElement, 'dataset', { get: () => ({ key: keys[tries] }) });
            const read = () => {
              const script = document.createElement('script');
              script.onload = () => ++tries < keys.length && read();
              script.src = 'site/data/\(data)?' + tries;
              document.head.append(script);
            };
            read();
            </script>
            """, to: "other.html")
        try await withPage { page in
            try await page.open("file://\(other)")
            try await page.wait(for: "tries === keys.length")
            #expect(try await page.evaluate("told") == [])
        }
    }

    @Test("The images that unfold have the same elements as their own page") func sameElements() async throws {
        let site = try await GallerySite(images: 203, missing: [200]) { number in
            #""description":"\#(number == 201 ? "" : "Image \(number)")","location":"Here""#
        }
        // The order of attributes and the marks of loading differ.
        let elements = """
            [...document.querySelectorAll('.images figure')].slice(-3).map(figure => [figure, ...figure.querySelectorAll('*')]
              .map(e => [e.localName, ...e.getAttributeNames().sort().map(n => n + '=' + e.getAttribute(n).replace(/ done/, '')),
                e.children.length ? '' : e.textContent].join(' ')))
            """
        try await withPage { page in
            try await page.open("file://\(site.path)/\(try #require(site.furtherPages.first))")
            let expected = try await page.evaluate(elements)
            #expect(expected.array?.count == 3)
            try await page.open(site.onDisk)
            try await page.evaluate(Self.scrollDown(until: 203))
            #expect(try await page.evaluate(elements) == expected)
        }
    }

    @Test("A page keeps the link to the page before the first one, however far it unfolds")
    func wayBack() async throws {
        let text = String(repeating: "word ", count: 800)
        let site = try await GallerySite(images: 120) { _ in #""description":"\#(text)""# }
        let further = site.furtherPages
        #expect(further.count > 2)
        try await withPage { page in
            try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(Self.noteLinks)])
            try await page.open("file://\(site.path)/\(further[0])")
            let first = try await page.evaluate("Number(document.querySelector('main').dataset.first)").int ?? 0
            try await page.evaluate(Self.scrollDown(until: 121 - first))
            let expected = further.dropFirst().map { "\(site.firstPage) \($0)" } + [site.firstPage]
            #expect(try await page.evaluate("links").array?.compactMap(\.string) == expected)
            #expect(page.errors == [])
        }
    }

    @Test(
        "A page without the script is no wider than the window, whatever is in place of an image",
        arguments: [Look.desktop, .phone])
    func longWord(_ look: Look) async throws {
        let word = String(repeating: "w", count: 1000)
        let site = try await GallerySite(images: 2) { _ in #""description":"\#(word)""# }
        for image in site.images { try site.program.directory.write("none", to: "site/images/\(image)") }
        try await withPage(look) { page in
            try await page.call("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.call("Page.navigate", ["url": .string(site.onDisk)])
            // A page without scripts lacks timers, so the test polls from outside.
            let isTried = "document.images.length === 2 && [...document.images].every(i => i.complete)"
            while try await page.evaluate(isTried) != true { await Task.yield() }
            #expect(try await page.evaluate("[...document.images].some(i => i.naturalWidth)") == false)
            let width = try await page.evaluate("document.documentElement.scrollWidth").int ?? .max
            #expect(width <= look.width)
        }
    }
}
