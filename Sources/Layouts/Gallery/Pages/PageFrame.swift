internal import FeedCore

/// The HTML that every page has around its content.
struct PageFrame {
    let assets: Assets
    private let style: String
    private let script: String
    /// The `GalleryKey` of the gallery.
    let key: String
    /// Whether the gallery has a page that lists the feeds.
    private let hasIndex: Bool

    init(assets: Assets, key: String, hasIndex: Bool) {
        self.assets = assets
        self.key = key
        self.hasIndex = hasIndex
        style = assets.reference(to: assets.style)
        script = assets.reference(to: assets.script)
    }

    /// The Content-Security-Policy of a page: everything that a page loads comes from its own directory.
    ///
    /// The second line of defence is that text from a feed is escaped.
    private static let policy = """
        default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'
        """

    /// Begins a page.
    ///
    /// The browser draws the page only when it has the element with the ID `awaited`. Otherwise, it would draw the first
    /// part of a page that arrives slowly, and the rest of a row would then move the images that the visitor sees.
    func begin(
        _ page: inout HTMLWriter, title: String, links: PageLinks, awaited: String,
        _ language: PageLanguage = .english, _ subscription: SubscriptionNames = .all
    ) {
        let direction = language.isRightToLeft ? " dir=rtl" : ""
        page.raw(
            """
            <!doctype html>
            <html lang=\(language.tag)\(direction) data-key=\(key)><head><meta charset=utf-8>
            <meta http-equiv=Content-Security-Policy content="\(Self.policy)">
            <meta name=viewport content="width=device-width,initial-scale=1">
            <meta name=referrer content=no-referrer>
            <meta name=robots content=noindex>
            <meta name=color-scheme content="light dark">
            <title>
            """)
        page.text(title, limit: 200)
        if links.page > 1 { page.raw(", page \(links.page)") }
        page.raw("</title>\n<link rel=icon href=\(Assets.icon.name)>\n")
        page.raw("<link rel=alternate type=application/feed+json href=\"\(subscription.json)\">\n")
        page.raw("<link rel=alternate type=application/atom+xml href=\"\(subscription.atom)\">\n")
        page.raw("<link rel=expect href=\"#\(awaited)\" blocking=render>\n")
        page.raw("<link rel=stylesheet href=\"\(style)\">\n")
        page.raw("<script src=\"\(script)\" defer></script>\n")
        page.raw("</head><body>\n<a class=skip lang=en href=#content>Skip to the images</a>\n")
    }

    /// Writes the heading, a summary of the page, its tools, and its age, which is the age of the newest feed on it.
    func header(
        _ page: inout HTMLWriter, title: String, about: String, links: PageLinks, newest: GalleryFeed?, tools: PageTools
    ) {
        let isFresh = newest?.isFresh ?? true
        page.raw("<header class=\"saved\(isFresh ? "" : " stale")\"><div>")
        if hasIndex {
            let entries = [("index.html", "All feeds"), ("newest.html", "Newest")].map { file, name in
                "<a\(file == links.file ? " aria-current=page" : "") href=\(file)>\(name)</a>"
            }
            page.raw("<nav aria-label=Gallery lang=en>\(entries.joined(separator: " "))</nav>")
        }
        page.raw("<h1 dir=auto>")
        page.text(title)
        page.raw("</h1><p class=about lang=en><span dir=ltr>")
        page.text(about)
        page.raw("</span> ")
        if let newest { age(&page, of: newest) }
        page.raw("</p>")
        if !isFresh { notice(&page) }
        page.raw("</div>")
        tools.write(to: &page)
        page.raw("</header>\n")
        page.raw("<p id=state role=status lang=en></p>\n")
    }

    func age(_ page: inout HTMLWriter, of feed: GalleryFeed) {
        // HTML allows only three digits of a second's fraction.
        let exact = "\(feed.head.savedAt.rfc3339.dropLast("456Z".count))Z"
        let day = exact.prefix { $0 != "T" }
        let clock = exact.dropFirst(day.count + 1).prefix(5)
        var limit = ""
        if case .span(let span) = feed.maxAge { limit = " data-fresh=\(span.components.seconds)" }
        page.raw(
            "<span class=age dir=ltr><time datetime=\(exact) title=\"\(exact)\"\(limit)>saved \(day) \(clock) UTC</time></span>"
        )
    }

    /// Writes the notice that a feed is stale.
    ///
    /// A page has it only while it is true, because some people read pages without the style sheet. The script adds the
    /// same text when the feed becomes stale.
    func notice(_ page: inout HTMLWriter) {
        page.raw("<span class=notice lang=en>Stale: there may be newer images by now.</span>")
    }

    /// Ends a page.
    ///
    /// `more` is the text of the link to the next page.
    func end(_ page: inout HTMLWriter, links: PageLinks, more: String) {
        if links.previous != nil || links.next != nil {
            page.raw("<nav class=pages aria-label=Pages lang=en>")
            if let previous = links.previous {
                page.raw("<a class=button rel=prev href=\"\(previous)\">Previous page</a>")
            }
            if let next = links.next { page.raw("<a class=button rel=next href=\"\(next)\">\(more)</a>") }
            page.raw("</nav>\n")
        }
        page.raw("</body></html>\n")
    }
}

/// The number of a page, counted from 1, and the files of the pages before and after it.
struct PageLinks {
    let name: String
    let page: Int
    let pages: Int

    var file: String { PageNames.file(name, page: page) }
    var previous: String? { page > 1 ? PageNames.file(name, page: page - 1) : nil }
    var next: String? { page < pages ? PageNames.file(name, page: page + 1) : nil }
}

/// The tools in the header of a page.
///
/// All of them except Reload need the script.
struct PageTools {
    let search: Bool
    /// Whether the page has the tools for its images: the order and the slideshow.
    let images: Bool

    func write(to page: inout HTMLWriter) {
        page.raw("<div class=tools lang=en>")
        if search { page.raw("<input type=search placeholder=Search aria-label=Search autocomplete=off>") }
        if images {
            button("order", "⇅", "Oldest first", to: &page)
            button("play", "▶", "Slideshow", to: &page)
        }
        page.raw("<a class=\"button reload\" href=\"\"><span aria-hidden=true>↻</span><span>Reload</span></a>")
        button("help", "?", "Keys", to: &page)
        page.raw("</div>")
    }

    /// Writes a button with a sign and a name, which a narrow window hides.
    private func button(_ name: String, _ sign: String, _ text: String, to page: inout HTMLWriter) {
        page.raw("<button class=\"button \(name)\" type=button><span aria-hidden=true>\(sign)</span>")
        page.raw("<span>\(text)</span></button>")
    }
}
