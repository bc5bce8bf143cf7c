/// The commands that do something; `help` only tells of them.
enum Command: String, CaseIterable, Sendable {
    case sync, show, image, validate, export, `import`, remove, status, gallery, tree

    static let every = Set(allCases)
}
