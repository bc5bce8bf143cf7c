/// The shells that there are completions for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// In single quotes, as all three take it.
    func quoted(_ text: String) -> String {
        switch self {
        case .bash, .zsh: "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        case .fish: "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }
}
