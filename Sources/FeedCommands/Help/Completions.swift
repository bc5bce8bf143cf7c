/// Makes the completion script of a shell from the tables.
enum Completions {
    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletions.text
        case .zsh: ZshCompletions.text
        case .fish: FishCompletions.text
        }
    }
}
