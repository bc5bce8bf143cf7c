internal import FeedCore

/// A file of the gallery that is no image.
struct SiteFile {
    let name: String
    let bytes: [UInt8]
}

/// The files beside the pages that are the same for every gallery, but for the proportions its pictures have.
struct Assets {
    static let icon = SiteFile(name: "icon.svg", bytes: PackageResources.icon_svg)

    let style: SiteFile
    let script = SiteFile(name: "script.js", bytes: PackageResources.script_js)

    init(ratios: Set<Int>) {
        let rules = ratios.sorted().map(Proportions.rule).joined()
        style = SiteFile(name: "style.css", bytes: PackageResources.style_css + Array(rules.utf8))
    }

    var all: [SiteFile] { [style, script, Self.icon] }

    /// The name of a file with a mark of its content: a browser that kept an older one must not show new pages with it.
    func reference(to file: SiteFile) -> String { "\(file.name)?\(String(file.bytes.fnv1a, radix: 36))" }
}
