@testable import FeedCommands

/// Parses with no environment and no file but the given ones.
func parse(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = []
) throws(UsageError) -> Invocation {
    try ArgumentParser(environment: environment, fileExists: files.contains).parse(arguments)
}

func settings(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = []
) throws(UsageError) -> Settings? {
    guard case .run(_, let settings, _) = try parse(arguments, environment: environment, files: files) else {
        return nil
    }
    return settings
}

/// The error, or nil if there is none.
func usageError(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = []
) -> UsageError? {
    do {
        _ = try parse(arguments, environment: environment, files: files)
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
    /// A value that is valid for it and not its default.
    var sampleValue: String {
        switch placeholder {
        case "AGE": "36h"
        case "SIZE": "3M"
        case "N": "7"
        case "S": "2.5"
        case "LINE": "X-Key: 1"
        case "RATE": "500K"
        default: "sample"
        }
    }

    var isSetting: Bool { variable != nil }
}

extension Command {
    /// Enough operands for it.
    var sampleOperands: [String] {
        CommandTable.named(rawValue)?.operandCount.lowerBound == 1 ? [feed] : []
    }
}
