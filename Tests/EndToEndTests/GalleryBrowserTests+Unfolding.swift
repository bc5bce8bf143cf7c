import JSONText
import TestSupport
import Testing

/// More pictures on the way down.
extension GalleryBrowserTests {
    /// Counts what was read of other pages, when all that follows from it at once is done.
    private static let countReads = """
        window.reads = 0; const text = Response.prototype.text;
        Response.prototype.text = function () {
          return text.call(this).then(all => { setTimeout(() => reads++); return all; });
        };
        """

    @Test("unfolds no page of another making, and leaves the link to it", arguments: [true, false])
    func otherMaking(isOther: Bool) async throws {
        let site = try await GallerySite(pictures: 202)
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, .onServer)
            try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(Self.countReads)])
            try await page.open(url)
            // One that is only confirmed has another date, and the same pages.
            if isOther { site.server.serve(feedOf: (0..<202).reversed().map(site.server.imageURL)) }
            try await site.program.run(site.server.feedURL)
            try await site.write()
            try await page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
            try await page.wait(for: "reads > 0")
            let count = try await page.evaluate("document.querySelectorAll('.pictures figure').length").int
            #expect(count == (isOther ? 200 : 202))
            let next = try await page.evaluate("document.querySelector('.pages a[rel=next]')?.getAttribute('href')")
            #expect(next.string == (isOther ? "index.2.html" : nil))
            #expect(page.errors == [])
            withExtendedLifetime(nginx) {}
        }
    }
}
