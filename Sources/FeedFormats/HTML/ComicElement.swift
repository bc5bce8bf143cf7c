/// A rule that recognises the element of a web page that holds a comic.
///
/// A further rule is one more row in the table. If a page has several such elements, the first row with an image counts.
struct ComicElement {
    enum Attribute {
        case id, styleClass
    }

    let attribute: Attribute
    /// The id, or one of the classes.
    let name: String
    /// Markup that the rule matches.
    ///
    /// The tests read each example.
    let example: String

    static let table = [
        ComicElement(.id, "cc-comic", #"<div class="page"><img id="cc-comic" src="/p.png"></div>"#),
        ComicElement(.id, "cc-comicbody", #"<div id="cc-comicbody"><a href="/2"><img src="/p.png"></a></div>"#),
        ComicElement(.id, "comicbody", #"<div id="comicbody"><img src="/p.png"></div>"#),
        ComicElement(.id, "main-comic", #"<div><img id="main-comic" src="/p.png"></div>"#),
        ComicElement(.id, "comic-image", #"<figure id="comic-image"><img src="/p.png"></figure>"#),
        ComicElement(.id, "comicimage", #"<td id="comicimage"><img src="/p.png"></td>"#),
        ComicElement(.id, "comic", #"<div id="comic"><div><img src="/p.png"></div></div>"#),
        ComicElement(.id, "strip", #"<center><img id="strip" src="/p.png"></center>"#),
        ComicElement(.id, "comic-strip", #"<div id="comic-strip"><img src="/p.png"></div>"#),
        ComicElement(.id, "webcomic", #"<article id="webcomic"><img src="/p.png"></article>"#),
        ComicElement(.styleClass, "comic-image", #"<div class="wide comic-image"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comic__image", #"<picture class="comic__image"><img src="/p.png"></picture>"#),
        ComicElement(.styleClass, "comic_image", #"<img class="comic_image" src="/p.png">"#),
        ComicElement(
            .styleClass, "item-comic-image", #"<picture class="item-comic-image"><img src="/p.png"></picture>"#),
        ComicElement(.styleClass, "img-comic", #"<img class="img-comic" src="/p.png">"#),
        ComicElement(.styleClass, "webcomic-image", #"<div class="webcomic-image"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "webcomic-media", #"<div class="webcomic-media"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comicpane", #"<div class="comicpane"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comic-panel", #"<div class="comic-panel"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comic-page", #"<div class="comic-page"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comic-strip", #"<div class="comic-strip"><img src="/p.png"></div>"#),
        ComicElement(.styleClass, "comic", #"<img class="comic" src="/p.png">"#),
    ]

    private init(_ attribute: Attribute, _ name: String, _ example: String) {
        (self.attribute, self.name, self.example) = (attribute, name, example)
    }

    /// The rows by what they examine.
    private static let rows = {
        var ids: [String: Int] = [:]
        var classes: [String: Int] = [:]
        for (row, rule) in table.enumerated() {
            switch rule.attribute {
            case .id: ids[rule.name] = row
            case .styleClass: classes[rule.name] = row
            }
        }
        return (ids: ids, classes: classes)
    }()

    /// The number of bytes of a list of classes that are examined.
    private static let longestList = 1024
    /// The tags whose attributes say nothing about what is in them.
    private static let wholePage: Set<String> = ["html", "body"]

    /// Returns the number of the first row that matches the element, or nil.
    static func row(of tag: String, _ attributes: HTMLAttributes) -> Int? {
        guard !wholePage.contains(tag) else { return nil }
        if let row = attributes["id"].flatMap({ rows.ids[$0] }) { return row }
        guard let names = attributes["class"] else { return nil }
        StepCounter.add(names.utf8.count)
        return names.utf8.prefix(longestList).split { $0 <= 0x20 }.compactMap { rows.classes[String(Substring($0))] }
            .min()
    }
}
