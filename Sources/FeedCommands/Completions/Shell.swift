/// The shells that there are completions for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var completions: String {
        switch self {
        case .bash: BashCompletions.text
        case .zsh: ZshCompletions.text
        case .fish: FishCompletions.text
        }
    }

    /// In single quotes, as all three take it.
    func quoted(_ text: String) -> String {
        switch self {
        case .bash, .zsh: "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        case .fish: "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }
}

extension OptionSpec {
    /// `-j` and `--jobs`, as far as there are both.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
}

extension CommandSpec {
    var options: [OptionSpec] { OptionTable.all.filter(takes) }
}
