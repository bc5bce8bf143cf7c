import FeedCore

/// A config file taken apart: options and feeds, in their order. How they go together with the environment and the
/// command line is decided elsewhere.
///
///     # a comment
///     max-age = 2d
///     revalidate
///     feed = https://example.com/feed.json
///
///     [feed "https://example.org/feed.json"]
///     header = X-Key: 1
struct ConfigFile {
    struct Feed {
        let url: ResourceURL
        /// As it stands in the file.
        let given: String
        /// The options of its own section.
        let options: [GivenOption]
    }

    private(set) var options: [GivenOption] = []
    private var named = DistinctFeeds()
    /// The options of each feed's section.
    private var own: [[GivenOption]] = []
    private var given: [String] = []

    /// The directory of the file itself, not of a link to it.
    private let directory: String?
    private let world: any World
    /// The feed whose section it is.
    private var section: Int?

    init(_ bytes: [UInt8], at path: String, _ world: any World) throws(UsageError) {
        directory = FilePath.directory(of: world.realPath(path) ?? path)
        self.world = world
        var (scratch, lineNumber) = (Settings(), 0)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            lineNumber += 1
            do throws(UsageError) {
                try read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, &scratch)
            } catch {
                throw UsageError(
                    "\(TerminalText.escape(path)):\(lineNumber): \(error.message)", hint: error.hint,
                    exitCode: .configuration)
            }
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ scratch: inout Settings) throws(UsageError) {
        // A comment may be in any encoding, and begin with a character that combines with the #.
        if ConfigLine.isComment(line) { return }
        guard let text = String(validating: line, as: UTF8.self) else { throw UsageError("the line is not UTF-8") }
        // To the system it would end a path.
        if line.contains(0) { throw UsageError("the line has a NUL character in it") }
        switch try ConfigLine(ConfigLine.trim(text[...])) {
        case .nothing: break
        case .section(let url): section = try add(url)
        case .setting("feed", let value):
            guard section == nil else {
                throw UsageError("feed can't stand in a feed's section", hint: "put it above the first section")
            }
            guard let value else { throw UsageError("feed needs a value: feed = URL") }
            _ = try add(value)
        case .setting(let name, let value):
            let given = try option(name, value)
            try scratch.apply([given], blaming: .configuration)
            if let section { own[section].append(given) } else { options.append(given) }
        }
    }

    /// Nil where there is none and none was asked for.
    static func read(_ settings: Settings, _ world: any World) throws(UsageError) -> ConfigFile? {
        guard let path = world.configPath(settings) else { return nil }
        let bytes: [UInt8]?
        do throws(FeedError) {
            bytes = try world.readFile(path, onlyRegular: false)
        } catch {
            throw UsageError(
                TerminalText.escape("\(path): the config file can't be read: \(error.message)"),
                hint: "--no-config does without", exitCode: .configuration)
        }
        if let bytes { return try ConfigFile(bytes, at: path, world) }
        guard settings.config != nil else { return nil }
        throw UsageError("\(TerminalText.escape(path)): there is no such config file", exitCode: .notFound)
    }

    var feeds: [Feed] {
        named.urls.indices.map { Feed(url: named.urls[$0], given: given[$0], options: own[$0]) }
    }

    /// Where it stands in `feeds`.
    private mutating func add(_ text: String) throws(UsageError) -> Int {
        let place = named.add(try feedURL(text))
        if place == own.count {
            own.append([])
            given.append(text)
        }
        return place
    }

    private func feedURL(_ text: String) throws(UsageError) -> ResourceURL {
        let place = try located(text)
        if !text.contains(where: { "/.:".contains($0) }), !world.fileExists(place) {
            throw UsageError(
                "'\(FeedOperand.shown(text))' is neither a URL nor an existing file",
                hint: "a file that is yet to come can be given as ./NAME")
        }
        let url = try FeedOperand.feed(text, currentDirectory: "/") { _ in world.fileExists(place) }
        guard !url.isRemote, !text.lowercased().hasPrefix("file:") else { return url }
        return try world.feed(place)
    }

    private func option(_ name: String, _ value: String?) throws(UsageError) -> GivenOption {
        guard let option = OptionTable.long(name), option.isOfConfigFile else { throw unknown(name) }
        guard section == nil || option.scope == .feed else {
            throw UsageError(
                "\(name) holds for the whole run, and can't stand in a feed's section",
                hint: "put it above the first section")
        }
        guard let value = value ?? (option.isFlag ? OptionSpec.present : nil) else {
            throw UsageError("\(name) needs a value: \(name) = \(option.placeholder ?? "")")
        }
        let isStream = value == "-" && option.long == "output"
        return GivenOption(
            option: option, spelling: name, value: option.isPath && !isStream ? try located(value) : value)
    }

    /// A path as it is meant in this file: `~` is the home directory, and a relative path begins in its directory. The one
    /// that a program is started in is cron's choice. A URL stays one, for whoever takes paths alone to see it.
    private func located(_ value: String) throws(UsageError) -> String {
        guard let value = world.expandingHome(value) else {
            throw UsageError("\(noHome) for ~")
        }
        guard !value.isEmpty, !FeedOperand.isURL(value), let directory else { return value }
        return FilePath.absolute(value, in: directory)
    }

    private func unknown(_ name: String) -> UsageError {
        let shown = TerminalText.escape(name)
        if let option = OptionTable.long(name) {
            return UsageError("\(option.long) can't stand in the config file")
        }
        if name.hasPrefix("-") {
            let letters = String(name.drop { $0 == "-" })
            let known = letters.count == 1 ? letters.first.flatMap(OptionTable.short) : nil
            let bare = known?.long ?? letters
            return UsageError("unknown option '\(shown)'", hint: "without dashes: \(TerminalText.escape(bare))")
        }
        let known = OptionTable.all.filter(\.isOfConfigFile).map(\.long) + ["feed"]
        return UsageError("unknown option '\(shown)'", hint: Suggestion.hint(for: name, among: known))
    }
}
