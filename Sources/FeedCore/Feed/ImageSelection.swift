/// Which of the images that a feed names are taken.
package struct ImageSelection: Hashable, Sendable {
    /// Whatever stands in the feed as a image, decoration too.
    package let all: Bool
    /// Regular expressions of which a URL must have one in it, if there are any.
    package let includes: [String]
    /// It must have none of these in it.
    package let excludes: [String]

    package init(all: Bool = false, includes: [String] = [], excludes: [String] = []) {
        self.all = all
        self.includes = includes
        self.excludes = excludes
    }

    /// What the rules for reading feeds are called: those of this version, and the selection. Two that are called the same
    /// choose the same images.
    package var rules: String {
        (["1"] + (all ? ["all"] : []) + includes.map { "+\($0)" } + excludes.map { "-\($0)" })
            .joined(separator: "\n")
    }
}
