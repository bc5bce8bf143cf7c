import FeedCore

/// The program: arguments in, output and an exit code out.
package struct Application: Sendable {
    private let toolbox: Toolbox
    private let surroundings: Surroundings

    package init(toolbox: Toolbox, surroundings: Surroundings) {
        self.toolbox = toolbox
        self.surroundings = surroundings
    }

    /// In bytes, as one may be no text: mended, it would name another file.
    package func run(_ given: [[UInt8]]) async -> ExitCode {
        let arguments = given.compactMap { String(validating: $0, as: UTF8.self) }
        do {
            try requireText(given)
            switch try ArgumentParser(surroundings).parse(arguments) {
            case .version: return try print(HelpText.version)
            case .help(let subject): return try print(HelpText.text(for: subject))
            case .manual: return try print(ManualPage.text)
            case .completions(let shell): return try print(Completions.script(for: shell))
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

    private func requireText(_ arguments: [[UInt8]]) throws(UsageError) {
        for (place, argument) in arguments.enumerated() where String(validating: argument, as: UTF8.self) == nil {
            // What stands behind either sign may be a password.
            let shown = argument.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
            let rest = argument.dropFirst(shown.count)
            let text = TerminalText.escape(bytes: shown) + (rest.first.map { "\(Unicode.Scalar($0))…" } ?? "")
            throw UsageError("argument \(place + 1), '\(text)', is not UTF-8 text")
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
            let url = try surroundings.url(of: operand)
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
