internal import FeedCore

/// What every page has around its content.
struct PageFrame {
    let assets: Assets
    private let style: String
    private let script: String
    /// A `GalleryKey`.
    private let key: String

    init(assets: Assets, key: String) {
        self.assets = assets
        self.key = key
        style = assets.reference(to: assets.style)
        script = assets.reference(to: assets.script)
    }

    /// A page may ask its own directory, and nobody else, for anything. The rest of its defence is that a feed's words are
    /// text in it.
    private static let policy = """
        default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; \
        base-uri 'none'; form-action 'none'
        """

    func begin(_ page: inout HTMLWriter, title: String, links: PageLinks) {
        page.raw(
            """
            <!doctype html>
            <html lang=en data-key=\(key)><head><meta charset=utf-8>
            <meta http-equiv=Content-Security-Policy content="\(Self.policy)">
            <meta name=viewport content="width=device-width,initial-scale=1">
            <meta name=referrer content=no-referrer>
            <meta name=color-scheme content="light dark">
            <title>
            """)
        page.text(title, limit: 200)
        if links.page > 1 { page.raw(", page \(links.page)") }
        page.raw("</title>\n<link rel=icon href=\(Assets.icon.name)>\n")
        page.raw("<link rel=alternate type=application/feed+json href=\(Address.jsonFeed)>\n")
        page.raw("<link rel=alternate type=application/atom+xml href=\(Address.atomFeed)>\n")
        page.raw("<link rel=stylesheet href=\"\(style)\">\n")
        page.raw("<script src=\"\(script)\" defer></script>\n")
        page.raw("</head><body>\n<a class=skip href=#content>Skip to the images</a>\n")
    }

    /// The heading, what the page is about, its age, which is that of the newest feed on it, and its tools.
    func header(
        _ page: inout HTMLWriter, title: String, about: String, newest: GalleryFeed?, tools: PageTools
    ) {
        let isFresh = newest?.isFresh ?? true
        page.raw("<header class=\"saved\(isFresh ? "" : " stale")\"><div>")
        if tools.isInside {
            page.raw("<nav aria-label=Gallery><a href=index.html>All feeds</a> <a href=newest.html>Newest</a></nav>")
        }
        page.raw("<h1>")
        page.text(title)
        page.raw("</h1><p class=about><span>")
        page.text(about)
        page.raw("</span> ")
        if let newest { age(&page, of: newest) }
        page.raw("</p>")
        if !isFresh { notice(&page) }
        page.raw("</div>")
        tools.write(to: &page)
        page.raw("</header>\n")
        page.raw("<p class=unseen id=state role=status></p>\n")
    }

    func age(_ page: inout HTMLWriter, of feed: GalleryFeed) {
        // HTML knows three digits behind the second, not six.
        let exact = "\(feed.savedAt.rfc3339.dropLast("456Z".count))Z"
        let day = exact.prefix { $0 != "T" }
        let clock = exact.dropFirst(day.count + 1).prefix(5)
        var limit = ""
        if case .span(let span) = feed.maxAge { limit = " data-fresh=\(span.components.seconds)" }
        page.raw(
            "<span class=age><time datetime=\(exact) title=\"\(exact)\"\(limit)>saved \(day) \(clock) UTC</time></span>"
        )
    }

    /// Written only where it is true, as people read pages without the style sheet too. The script puts the same words
    /// there when it becomes true later.
    func notice(_ page: inout HTMLWriter) {
        page.raw("<span class=notice>Stale: there may be newer images by now.</span>")
    }

    func end(_ page: inout HTMLWriter, links: PageLinks) {
        if links.previous != nil || links.next != nil {
            page.raw("<nav class=pages aria-label=Pages>")
            if let previous = links.previous {
                page.raw("<a class=button rel=prev href=\"\(previous)\">Previous page</a>")
            }
            if let next = links.next { page.raw("<a class=button rel=next href=\"\(next)\">More images</a>") }
            page.raw("</nav>\n")
        }
        page.raw("</body></html>\n")
    }
}

/// What a page offers in its head. All but the way to other pages, and to ask for it anew, need the script.
struct PageTools {
    /// There is a page that lists the feeds.
    let isInside: Bool
    let search: Bool
    let slideshow: Bool

    func write(to page: inout HTMLWriter) {
        page.raw("<div class=tools>")
        if search { page.raw("<input type=search placeholder=Search aria-label=Search autocomplete=off>") }
        if slideshow { page.raw("<button class=\"button play\" type=button>Slideshow</button>") }
        page.raw("<a class=\"button reload\" href=\"\">Reload</a>")
        page.raw("<button class=\"button help\" type=button aria-label=Keys aria-haspopup=dialog>?</button></div>")
    }
}
