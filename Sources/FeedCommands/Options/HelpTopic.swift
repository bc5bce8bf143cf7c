/// A subject that `help` explains besides the commands. Its text is in `Help/Topics`. A command may have the same name, and
/// then both are shown.
enum HelpTopic: String, CaseIterable, Sendable {
    case config, feeds, network, monitoring, cache, archive, gallery, cluster
    case exitCodes = "exit-codes"
}
