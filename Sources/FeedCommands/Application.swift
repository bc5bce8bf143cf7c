import FeedCore

/// What surrounds a run, apart from its arguments.
package struct Surroundings: Sendable {
    package let environment: [String: String]
    package let currentDirectory: String
    /// The home in the user's account, for where the environment names none.
    package let accountHome: String?
    package let fileExists: @Sendable (String) -> Bool

    package init(
        environment: [String: String], currentDirectory: String, accountHome: String?,
        fileExists: @escaping @Sendable (String) -> Bool
    ) {
        self.environment = environment
        self.currentDirectory = currentDirectory
        self.accountHome = accountHome
        self.fileExists = fileExists
    }
}

/// The program: arguments in, output and an exit code out.
package struct Application: Sendable {
    private let toolbox: Toolbox
    private let surroundings: Surroundings

    package init(toolbox: Toolbox, surroundings: Surroundings) {
        self.toolbox = toolbox
        self.surroundings = surroundings
    }

    package func run(_ arguments: [String]) async -> ExitCode {
        do {
            let parser = ArgumentParser(environment: surroundings.environment, fileExists: surroundings.fileExists)
            switch try parser.parse(arguments) {
            case .version: return try print(HelpText.version)
            case .help(let command): return try print(HelpText.text(for: command))
            case .run(let command, let settings, let operands):
                let session = try session(settings)
                do {
                    let code = try await run(command, session, operands)
                    await session.closeCaches()
                    return code
                } catch {
                    await session.closeCaches()
                    throw error
                }
            }
        } catch let error as UsageError {
            toolbox.output.say("feedsync: \(error.message)\(error.hint.map { " (\($0))" } ?? "")")
            return error.exitCode
        } catch let error as FeedError {
            if error.isCancellation { return .failure }
            toolbox.output.say("feedsync: \(TerminalText.escape(error.message))")
            return ExitCode.of(error)
        } catch {
            toolbox.output.say("feedsync: \(TerminalText.escape("\(error)"))")
            return .failure
        }
    }

    private func run(_ command: Command, _ session: Session, _ operands: [String]) async throws -> ExitCode {
        switch command {
        case .sync: return try await SyncCommand(session).run(try feeds(operands))
        case .show: return try await ShowCommand(session).run(try feeds(operands)[0])
        case .image: return try await ImageCommand(session).run(try feeds(operands)[0])
        case .validate: return try await ValidateCommand(session).run()
        case .status: return try await StatusCommand(session).run()
        case .gallery: return try await GalleryCommand(session).run(try feeds(operands.dropFirst()), to: operands[0])
        }
    }

    private func feeds(_ operands: some Sequence<String>) throws(UsageError) -> [ResourceURL] {
        var urls: [ResourceURL] = []
        for operand in operands {
            urls.append(try FeedOperand.url(operand, currentDirectory: surroundings.currentDirectory))
        }
        return urls
    }

    private func session(_ settings: Settings) throws(UsageError) -> Session {
        let path = try CacheLocation.path(
            option: settings.cache, environment: surroundings.environment, accountHome: surroundings.accountHome)
        return Session(toolbox: toolbox, settings: settings, cachePath: path)
    }

    private func print(_ text: String) throws(FeedError) -> ExitCode {
        try toolbox.output.write(Array(text.utf8))
        return .ok
    }
}
