@testable import FeedCommands

/// Parses the arguments with only the given environment and files. `config` is the default config file.
func parse(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) throws(UsageError) -> Invocation {
    try ArgumentParser(
        FakeWorld(
            environment: environment, currentDirectory: "/here", accountHome: "/home/me", existing: files,
            readable: config.map { [usualConfig: $0] } ?? [:])
    ).parse(arguments)
}

let usualConfig = "/home/me/.config/feedsync/config"

func settings(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) throws(UsageError) -> Settings? {
    guard
        case .run(_, let settings, _) = try parse(
            arguments, environment: environment, files: files, config: config)
    else {
        return nil
    }
    return settings
}

/// Returns the error of a command line, or nil.
func usageError(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) -> UsageError? {
    do {
        _ = try parse(arguments, environment: environment, files: files, config: config)
        return nil
    } catch {
        return error
    }
}

func changed(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
}

let feed = "https://example.com/feed.json"

extension OptionSpec {
    /// A valid value that differs from the default.
    var sampleValue: String {
        switch placeholder {
        case "AGE": "36h"
        case "WHAT": long == "keep" ? "90d" : "image"
        case "I/N": "1/4"
        case "TEMPLATE": "{title}"
        case "SIZE": "3M"
        case "N": "7"
        case "S": "2.5"
        case "LINE": "X-Key: 1"
        case "RATE": "500K"
        case "WHEN": "always"
        case "FORMAT": "json"
        case "URL": "http://example.com"
        default: "/sample"
        }
    }

    var isSetting: Bool { variable != nil }
}

extension Command {
    /// The least operands that the command needs.
    var sampleOperands: [String] {
        guard let spec = CommandTable.named(rawValue), spec.operandCount.lowerBound == 1 else { return [] }
        return [.archive, .archiveAndFeeds, .directoryAndFeeds].contains(spec.operand) ? ["./there"] : [feed]
    }
}
