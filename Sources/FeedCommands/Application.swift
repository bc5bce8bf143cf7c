import FeedCore

/// Runs the program: it takes the arguments, writes the output and returns the exit code.
package struct Application: Sendable {
    private let world: any World

    package init(_ world: any World) { self.world = world }

    package func run(_ arguments: [String]) async -> ExitCode {
        do {
            if let index = arguments.firstIndex(where: hasReplacementCharacter) {
                throw UsageError("argument \(index + 1) is not UTF-8 text")
            }
            switch try ArgumentParser(world).parse(arguments) {
            case .version(let isVerbose): return try print(HelpText.version(of: isVerbose ? world.libraries : []))
            case .help(let subject): return try print(HelpText.text(for: subject))
            case .manual: return try print(ManualPage.text)
            case .completions(let shell): return try print(Completions.script(for: shell))
            case .savedFeeds(let settings): return try await printSavedFeeds(try Session(world, settings))
            case .run(let command, let settings, let operands):
                return await run(command, try Session(world, settings), operands)
            }
        } catch {
            // A run that was stopped at its start, for example while it read a config file from a pipe, prints no
            // error.
            if !Task.isCancelled {
                Log(output: world.output, format: .guessed(arguments, world.environment), now: world.now)
                    .write(LogLine(error))
            }
            return ExitCode.of(error)
        }
    }

    private func run(_ command: Command, _ session: Session, _ operands: [String]) async -> ExitCode {
        do {
            return try await perform(command, session, operands)
        } catch {
            if (error as? FeedError)?.isCancellation != true { session.report(LogLine(error)) }
            return ExitCode.of(error)
        }
    }

    private func perform(_ command: Command, _ session: Session, _ operands: [String]) async throws -> ExitCode {
        switch command {
        case .sync: return try await SyncCommand(session).run(try feeds(operands, session))
        case .show: return try await ShowCommand(session).run(try feeds(operands, session)[0])
        case .image: return try await ImageCommand(session).run(try url(operands[0], session, world.image))
        case .validate: return try await ValidateCommand(session).run()
        case .export: return try await ExportCommand(session).run(operands[0], try feeds(operands.dropFirst(), session))
        case .import: return try await ImportCommand(session).run(operands)
        case .remove: return try await RemoveCommand(session).run(try removals(operands, session))
        case .find:
            let feed = try feeds(session.settings.feed.map { [$0] } ?? [], session).first
            return try await FindCommand(session).run(operands, in: feed)
        case .status: return try await StatusCommand(session).run(try feeds(operands, session))
        case .gallery:
            return try await GalleryCommand(session).run(try feeds(operands.dropFirst(), session), to: operands[0])
        case .tree: return try await TreeCommand(session).run(try feeds(operands.dropFirst(), session), to: operands[0])
        }
    }

    private func feeds(
        _ operands: some Sequence<String>, _ session: Session
    ) throws(UsageError) -> [ResourceURL] {
        var urls: [ResourceURL] = []
        for operand in operands { urls.append(try url(operand, session, world.feed)) }
        return urls
    }

    private func removals(_ operands: [String], _ session: Session) throws(UsageError) -> [RemovalOperand] {
        var removals: [RemovalOperand] = []
        for operand in operands {
            let feed = try url(operand, session, world.feed)
            let isFeed = ResourceURL.withoutFeedScheme(operand) != operand
            removals.append(RemovalOperand(feed: feed, image: isFeed ? feed : try world.image(operand)))
        }
        return removals
    }

    private func url(
        _ operand: String, _ session: Session, _ read: (String) throws(UsageError) -> ResourceURL
    ) throws(UsageError) -> ResourceURL {
        let url = try read(operand)
        session.noticeMissingScheme(of: url, givenAs: operand)
        return url
    }

    private func printSavedFeeds(_ session: Session) async throws(FeedError) -> ExitCode {
        let feeds = try await session.withCache(.read) { cache throws(FeedError) in try await cache.feeds.summaries() }
        return try print(feeds.map { "\($0.url)\n" }.joined())
    }

    private func print(_ text: String) throws(FeedError) -> ExitCode {
        try world.output.write(Array(text.utf8))
        return .ok
    }
}
