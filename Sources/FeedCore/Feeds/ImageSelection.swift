/// The user's choice among the images that a feed contains.
package struct ImageSelection: Hashable, Sendable {
    /// Whether decoration counts as an image, too.
    package let all: Bool
    /// Regular expressions of which one must match the URL, if there are any.
    package let includes: [String]
    /// Regular expressions that must not match the URL.
    package let excludes: [String]

    package init(all: Bool = false, includes: [String] = [], excludes: [String] = []) {
        self.all = all
        self.includes = includes
        self.excludes = excludes
    }

    /// The name of the rules for reading feeds: their version and the selection. Rules of the same name choose the same
    /// images.
    package var rules: String {
        (["1"] + (all ? ["all"] : []) + includes.map { "+\($0)" } + excludes.map { "-\($0)" })
            .joined(separator: "\n")
    }
}
