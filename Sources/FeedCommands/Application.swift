package import FeedCore

/// What surrounds a run, apart from its arguments.
package struct Surroundings: Sendable {
    package let environment: [String: String]
    /// Variables whose value is no text: mended, it would name another folder.
    package let unreadableVariables: Set<String>
    package let currentDirectory: String
    /// The home in the user's account, for where the environment names none.
    package let accountHome: String?
    package let fileExists: @Sendable (String) -> Bool
    /// With every symbolic link followed; nil where nothing is there.
    package let realPath: @Sendable (String) -> String?
    /// That it is a file which can be read more than once, no folder and no pipe, and not kept from us.
    package let canRead: @Sendable (String) -> Bool
    /// A file of moderate size; nil where there is none.
    package let readFile: @Sendable (String) -> Result<[UInt8]?, FeedError>
    /// Nil also where it is a pipe or a device.
    package let readRegularFile: @Sendable (String) -> Result<[UInt8]?, FeedError>

    package init(
        environment: [String: String], unreadableVariables: Set<String> = [], currentDirectory: String,
        accountHome: String?,
        fileExists: @escaping @Sendable (String) -> Bool,
        realPath: @escaping @Sendable (String) -> String? = { _ in nil },
        canRead: @escaping @Sendable (String) -> Bool = { _ in false },
        readFile: @escaping @Sendable (String) -> Result<[UInt8]?, FeedError> = { _ in .success(nil) },
        readRegularFile: @escaping @Sendable (String) -> Result<[UInt8]?, FeedError> = { _ in .success(nil) }
    ) {
        self.environment = environment
        self.unreadableVariables = unreadableVariables
        self.currentDirectory = currentDirectory
        self.accountHome = accountHome
        self.fileExists = fileExists
        self.realPath = realPath
        self.canRead = canRead
        self.readFile = readFile
        self.readRegularFile = readRegularFile
    }

    package var home: String? {
        for case let home? in [environment["HOME"], accountHome] where FilePath.isAbsolute(home) {
            return home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home
        }
        return nil
    }

    static let noHome = "neither HOME nor the user's account names a home folder"

    /// A path that begins with `~`, with the home folder in its place; nil where there is none. Others as they are.
    func expandingHome(_ path: String) -> String? {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home.map { $0 + path.dropFirst() }
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

    /// Nil stands for an argument that is no text: mended, it would name another file.
    package func run(_ given: [String?]) async -> ExitCode {
        let arguments = given.compactMap(\.self)
        do {
            guard arguments.count == given.count else { throw UsageError("an argument is not UTF-8 text") }
            switch try ArgumentParser(surroundings).parse(arguments) {
            case .version: return try print(HelpText.version)
            case .help(let command): return try print(HelpText.text(for: command))
            case .manual: return try print(ManualPage.text)
            case .completions(let shell): return try print(shell.completions)
            case .run(let command, let settings, let operands):
                let session = try session(settings)
                return await run(command, session, operands)
            }
        } catch {
            // Who stopped it as it began, as while it waited for a config file from a pipe, is told nothing of that.
            if !Task.isCancelled { log(arguments).tell(LogLine(error)) }
            return ExitCode.of(error)
        }
    }

    private func log(_ arguments: [String]) -> Log {
        Log(output: toolbox.output, format: .guessed(arguments, surroundings.environment), now: toolbox.now)
    }

    private func run(_ command: Command, _ session: Session, _ operands: [String]) async -> ExitCode {
        let code: ExitCode
        do {
            code = try await perform(command, session, operands)
        } catch {
            if (error as? FeedError)?.isCancellation != true { session.report(LogLine(error)) }
            code = ExitCode.of(error)
        }
        await session.closeCaches()
        return code
    }

    private func perform(_ command: Command, _ session: Session, _ operands: [String]) async throws -> ExitCode {
        switch command {
        case .sync: return try await SyncCommand(session).run(try feeds(operands, session))
        case .show: return try await ShowCommand(session).run(try feeds(operands, session)[0])
        case .image: return try await ImageCommand(session).run(try feeds(operands, session)[0])
        case .validate: return try await ValidateCommand(session).run()
        case .export: return try await ExportCommand(session).run(operands[0], try feeds(operands.dropFirst(), session))
        case .import: return try await ImportCommand(session).run(operands[0])
        case .status: return try await StatusCommand(session).run()
        case .gallery:
            return try await GalleryCommand(session).run(try feeds(operands.dropFirst(), session), to: operands[0])
        }
    }

    private func feeds(
        _ operands: some Sequence<String>, _ session: Session
    ) throws(UsageError) -> [ResourceURL] {
        var urls: [ResourceURL] = []
        for operand in operands {
            let url = try FeedOperand.url(operand, currentDirectory: surroundings.currentDirectory)
            if FeedOperand.mayLackScheme(operand), let path = url.filePath, !surroundings.fileExists(path) {
                let shown = FeedOperand.shown(operand)
                session.notice("\(shown) is taken for a file: did you mean https://\(shown)?", "no_scheme")
            }
            urls.append(url)
        }
        return urls
    }

    private func session(_ settings: Settings) throws(UsageError) -> Session {
        let path = try CacheLocation.path(option: settings.cache, surroundings)
        return Session(toolbox: toolbox, settings: settings, cachePath: path, surroundings: surroundings)
    }

    private func print(_ text: String) throws(FeedError) -> ExitCode {
        try toolbox.output.write(Array(text.utf8))
        return .ok
    }
}
