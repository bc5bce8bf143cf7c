internal import FeedCore

/// The files beside the pages that are the same for every gallery, but for the proportions its pictures have.
struct Assets {
    struct File {
        let name: String
        let bytes: [UInt8]

        /// Its name with a mark of its content: a browser that kept an older one must not show new pages with it.
        var reference: String { "\(name)?\(String(bytes.fnv1a, radix: 36))" }
    }

    static let iconFile = "icon.svg"

    let style: File
    let script = File(name: "script.js", bytes: PackageResources.script_js)
    let icon = File(name: iconFile, bytes: PackageResources.icon_svg)

    init(ratios: Set<Int>) {
        let rules = ratios.sorted().map(Proportions.rule).joined()
        style = File(name: "style.css", bytes: PackageResources.style_css + Array(rules.utf8))
    }

    var all: [File] { [style, script, icon] }

    /// What a browser loads beside a page before it shows it.
    var weight: Int { style.bytes.count + script.bytes.count + icon.bytes.count }
}
