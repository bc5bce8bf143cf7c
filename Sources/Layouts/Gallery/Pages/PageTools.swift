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
