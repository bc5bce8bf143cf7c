/// What `help` explains besides the commands. Each has its text in `Help/Topics`; a command may have the same name, and
/// then both are shown.
enum HelpTopic: String, CaseIterable, Sendable {
    case config, feeds, network, monitoring, cache, archive, gallery, cluster
    case exitCodes = "exit-codes"
}
