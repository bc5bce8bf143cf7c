internal import FeedCore

/// The HTML that every page has around its content.
struct PageFrame {
    let assets: Assets
    private let style: String
    private let script: String
    /// The `GalleryKey` of the gallery.
    private let key: String

    init(assets: Assets, key: String) {
        self.assets = assets
        self.key = key
        style = assets.reference(to: assets.style)
        script = assets.reference(to: assets.script)
    }

    /// The Content-Security-Policy of a page: everything that a page loads comes from its own directory.
    ///
    /// The second line of defence is that text from a feed is escaped.
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
        page.raw("<link rel=alternate type=application/feed+json href=\(PageNames.jsonFeed)>\n")
        page.raw("<link rel=alternate type=application/atom+xml href=\(PageNames.atomFeed)>\n")
        page.raw("<link rel=stylesheet href=\"\(style)\">\n")
        page.raw("<script src=\"\(script)\" defer></script>\n")
        page.raw("</head><body>\n<a class=skip href=#content>Skip to the images</a>\n")
    }

    /// Writes the heading, a summary of the page, its tools, and its age, which is the age of the newest feed on it.
    func header(
        _ page: inout HTMLWriter, title: String, about: String, newest: GalleryFeed?, tools: PageTools
    ) {
        let isFresh = newest?.isFresh ?? true
        page.raw("<header class=\"saved\(isFresh ? "" : " stale")\"><div>")
        if tools.hasIndex {
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
        // HTML allows only three digits of a second's fraction.
        let exact = "\(feed.head.savedAt.rfc3339.dropLast("456Z".count))Z"
        let day = exact.prefix { $0 != "T" }
        let clock = exact.dropFirst(day.count + 1).prefix(5)
        var limit = ""
        if case .span(let span) = feed.maxAge { limit = " data-fresh=\(span.components.seconds)" }
        page.raw(
            "<span class=age><time datetime=\(exact) title=\"\(exact)\"\(limit)>saved \(day) \(clock) UTC</time></span>"
        )
    }

    /// Writes the notice that a feed is stale.
    ///
    /// A page has it only while it is true, because some people read pages without the style sheet. The script adds the
    /// same text when the feed becomes stale.
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
    /// Whether the gallery has a page that lists the feeds.
    let hasIndex: Bool
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

/// A page of the gallery or a file beside the pages.
struct SiteFile {
    let name: String
    let bytes: [UInt8]
}

/// The style sheet, the script and the icon.
///
/// Only the rules for the proportions of images differ from gallery to gallery.
struct Assets {
    static let icon = SiteFile(name: "icon.svg", bytes: PackageResources.icon_svg)

    let style: SiteFile
    let script = SiteFile(name: "script.js", bytes: PackageResources.script_js.withoutIndents)

    init(ratios: Set<Int>) {
        let rules = ratios.sorted().map(Proportions.rule).joined()
        style = SiteFile(name: "style.css", bytes: PackageResources.style_css.withoutIndents + Array(rules.utf8))
    }

    var all: [SiteFile] { [style, script, Self.icon] }

    /// Returns a file's URL with a hash of the content.
    ///
    /// It makes a browser load the file again after a change.
    func reference(to file: SiteFile) -> String { "\(file.name)?\(String(file.bytes.fnv1a, radix: 36))" }
}

extension [UInt8] {
    /// Returns the text without indentation and without comment lines, which only matter in the source.
    fileprivate var withoutIndents: [UInt8] {
        let lines = split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        return [UInt8](lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8)) + "\n".utf8
    }
}
