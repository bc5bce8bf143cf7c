internal import FeedCore

/// A rule that recognises decoration: tracking pixels, emoji, avatars and buttons that feeds contain as images.
///
/// A further rule is one more row in the table. `Furniture` recognises images that recur.
struct Decoration {
    enum Mark {
        /// The width or the height is 0 or 1.
        case side
        /// The width and the height are at most this number of pixels.
        case sides(Int)
        /// The style contains this text, compared without white space.
        case style(String)
        /// The class list contains this class.
        case styleClass(String)
        /// The alternative text begins with these words, compared without case.
        case words(String)
        /// The link around the image begins with this host, or a subdomain of it, and this path.
        case link(String)
        /// The URL begins with this host, or a subdomain of it, and this path.
        case urlPrefix(String)
        /// The path has this directory.
        case directory(String)
        /// The path begins with this directory, and does not end in the name of an image file.
        case firstDirectory(String)
        /// The file name begins with this text.
        case file(String)
        /// The query begins with this text, on this host or a subdomain of it.
        case query(String, host: String)
        /// The title of the image is the name of the item's author.
        case author
    }

    let mark: Mark
    let what: String
    /// The markup of a feed that the rule matches.
    ///
    /// The tests decode each example.
    let example: String
    /// Whether the rule also matches an enclosure or another image that the feed declares as such.
    ///
    /// Most rules match only `<img>` and thumbnails, because a declared image is what the feed means.
    var matchesDeclared = false

    static let table = ofTags + ofPages + counters + advertisers + sharing

    private static let ofTags = [
        Decoration(.side, "a tracking pixel", #"<img src="https://count.example/7" width="1" height="1">"#),
        Decoration(.sides(48), "an icon", #"<img src="https://blog.example/go.png" width="32" height="32">"#),
        Decoration(.style("display:none"), "hidden", #"<img src="https://count.example/7" style="display: none">"#),
        Decoration(
            .style("visibility:hidden"), "hidden", #"<img src="https://count.example/7" style="visibility:hidden">"#),
        Decoration(.styleClass("emoji"), "an emoji", #"<img class="emoji" src="https://blog.example/1f642.svg">"#),
        Decoration(
            .styleClass("wp-smiley"), "a smiley", #"<img class="wp-smiley" src="https://blog.example/smile.gif">"#),
        Decoration(
            .styleClass("avatar"), "an avatar", #"<img class="avatar photo" src="https://blog.example/ann.jpg">"#),
        Decoration(.author, "the author's image", media("cdn.example/people/ann.jpg", title: "Ann Author")),
        Decoration(.words("add to"), "a share button", #"<img src="https://blog.example/a.gif" alt="Add to Any">"#),
        Decoration(.words("share on"), "a share button", #"<img src="https://blog.example/f.gif" alt="Share on F">"#),
        Decoration(
            .words("flattr this"), "a share button", #"<img src="https://blog.example/fl.png" alt="Flattr this!">"#),
    ]

    private static let ofPages = [
        Decoration(
            .urlPrefix("s.w.org/images/core/emoji"), "an emoji", img("s.w.org/images/core/emoji/15/72x72/1f642.png")),
        Decoration(
            .urlPrefix("e.deviantart.net/emoticons"), "an emoji", img("e.deviantart.net/emoticons/s/smile.gif")),
        Decoration(.directory("smilies"), "a smiley", img("forum.example/images/smilies/wink.gif")),
        Decoration(
            .urlPrefix("gravatar.com/avatar"), "an avatar", img("secure.gravatar.com/avatar/5e5e?s=96&d=identicon"),
            matchesDeclared: true),
        Decoration(
            .urlPrefix("avatars*.githubusercontent.com/"), "an avatar",
            img("avatars3.githubusercontent.com/u/7?s=60")),
        Decoration(
            .file("favicon"), "the site's icon", img("blog.example/favicon-192x192.png"), matchesDeclared: true),
        Decoration(.directory("cta"), "a call to action", img("no-cache.hubspot.example/cta/default/7/5e.png")),
        Decoration(.directory("rating"), "a rating", img("shop.example/images/rating/4-stars.png")),
        Decoration(
            .directory("wp-postratings"), "a rating", img("blog.example/wp-content/plugins/wp-postratings/stars/on.gif")
        ),
        Decoration(.urlPrefix("polldaddy.com/ratings"), "a rating", img("i.polldaddy.com/ratings/images/star-s.png")),
    ]

    private static let counters = [
        Decoration(.urlPrefix("pixel.wp.com/"), "a tracking pixel", img("pixel.wp.com/b.gif?host=blog.example&post=7")),
        Decoration(
            .urlPrefix("stats.wordpress.com/"), "a tracking pixel", img("stats.wordpress.com/b.gif?blog=1&post=7")),
        Decoration(
            .urlPrefix("feeds.feedburner.com/~"), "a counter or button", img("feeds.feedburner.com/~s/Blog?i=7")),
        Decoration(.firstDirectory("~r"), "a counter or button", img("feeds.blog.example/~r/Blog/~4/x7")),
        Decoration(.firstDirectory("~ff"), "a counter or button", img("feeds.blog.example/~ff/Blog?d=yIl2AUoC8zA")),
        Decoration(.firstDirectory("~f"), "a counter or button", img("feeds.blog.example/~f/Blog?a=x7")),
        Decoration(.firstDirectory("~c"), "a counter or button", img("feeds.blog.example/~c/Blog?a=x7")),
        Decoration(.firstDirectory("~a"), "an advertisement", img("feeds.blog.example/~a/Blog?i=x7")),
        Decoration(
            .query("g=", host: "feedburner.com"), "a tracking pixel", img("feeds2.feedburner.com/Blog?g=7")),
        Decoration(
            .query("g=", host: "feedproxy.google.com"), "a tracking pixel", img("feedproxy.google.com/Blog?g=7")),
        Decoration(
            .urlPrefix("feeds.wordpress.com/"), "a counter or button",
            img("feeds.wordpress.com/1.0/comments/b.example/7/")),
        Decoration(.urlPrefix("feedsportal.com/"), "a counter or button", img("da.feedsportal.com/r/7/mf.gif")),
        Decoration(.file("matomo.php"), "a tracking pixel", img("stats.example/matomo.php?idsite=7&rec=1")),
        Decoration(.file("piwik.php"), "a tracking pixel", img("stats.example/piwik.php?idsite=7&rec=1")),
        Decoration(.file("p.php?idsite="), "a tracking pixel", img("stats.example/p.php?idsite=7&rec=1")),
        Decoration(
            .urlPrefix("google-analytics.com/"), "a tracking pixel", img("www.google-analytics.com/__utm.gif?n=7")),
        Decoration(.urlPrefix("quantserve.com/pixel"), "a tracking pixel", img("pixel.quantserve.com/pixel/p-7.gif")),
        Decoration(.urlPrefix("scorecardresearch.com/"), "a tracking pixel", img("b.scorecardresearch.com/p?c1=2")),
        Decoration(.urlPrefix("facebook.com/tr"), "a tracking pixel", img("www.facebook.com/tr?id=7&ev=PageView")),
        Decoration(
            .urlPrefix("medium.com/_/stat"), "a tracking pixel", img("medium.com/_/stat?event=post.clientViewed")),
        Decoration(.urlPrefix("track.hubspot.com/"), "a tracking pixel", img("track.hubspot.com/__ptq.gif?a=7")),
        Decoration(.urlPrefix("met.vgwort.de/"), "a tracking pixel", img("vg07.met.vgwort.de/na/5e5e")),
    ]

    private static let advertisers = [
        Decoration(.urlPrefix("doubleclick.net/"), "an advertisement", img("ad.doubleclick.net/ad/x;sz=300x250")),
        Decoration(.urlPrefix("ads.pheedo.com/"), "an advertisement", img("ads.pheedo.com/img.phdo?i=7")),
        Decoration(.urlPrefix("pheedo.com/"), "an advertisement", img("www.pheedo.com/images/mm/t.gif")),
        Decoration(
            .urlPrefix("googlesyndication.com/"), "an advertisement", img("pagead2.googlesyndication.com/simgad/7")),
        Decoration(
            .urlPrefix("googleadservices.com/"), "an advertisement", img("imageads.googleadservices.com/pagead/ads?a=7")
        ),
        Decoration(
            .urlPrefix("amazon-adsystem.com/"), "an advertisement", img("ir-na.amazon-adsystem.com/e/ir?t=b-20&o=1")),
        Decoration(.urlPrefix("assoc-amazon.com/"), "an advertisement", img("www.assoc-amazon.com/e/ir?t=b-20&o=1")),
        Decoration(.urlPrefix("linksynergy.com/"), "an advertisement", img("ad.linksynergy.com/fs-bin/show?id=7")),
    ]

    /// The pages that share a post, to which share buttons link.
    private static let sharing = [
        "facebook.com/sharer", "facebook.com/share.php", "facebook.com/dialog/share", "twitter.com/share",
        "twitter.com/intent/", "twitter.com/home?status=", "x.com/intent/", "linkedin.com/shareArticle",
        "linkedin.com/sharing/", "plus.google.com/share", "pinterest.com/pin/create/", "reddit.com/submit",
        "tumblr.com/share", "digg.com/submit", "del.icio.us/post", "delicious.com/save", "delicious.com/post",
        "stumbleupon.com/submit", "addtoany.com/", "addthis.com/", "flattr.com/submit", "api.whatsapp.com/send",
        "t.me/share/", "telegram.me/share/", "news.ycombinator.com/submitlink", "getpocket.com/save",
        "instapaper.com/", "xing.com/spi/shares", "xing.com/social_plugins/share", "vk.com/share.php",
        "slashdot.org/bookmark.pl", "technorati.com/faves", "bsky.app/intent/", "share.flipboard.com/",
        "feeds.feedburner.com/~ff/", "fusion.google.com/add", "google.com/bookmarks/mark", "myspace.com/Modules/PostTo",
    ].map { page in
        Decoration(
            .link(page), "a share button",
            #"<a href="https://www.\#(page)?u=7"><img src="https://b.example/f.jpg"></a>"#)
    }

    private init(_ mark: Mark, _ what: String, _ example: String, matchesDeclared: Bool = false) {
        (self.mark, self.what, self.example, self.matchesDeclared) = (mark, what, example, matchesDeclared)
    }

    private static func img(_ address: String) -> String { #"<img src="https://\#(address)">"# }

    private static func media(_ address: String, title: String) -> String {
        #"<media:content url="https://\#(address)" medium="image"><media:title>\#(title)</media:title></media:content>"#
    }
}
