import FeedCore

/// Parses a config file into options and feeds, in their order.
///
/// `ArgumentParser` combines them with the environment and the command line.
///
///     # a comment
///     max-age = 2d
///     revalidate
///     feed = https://example.com/feed.json
///
///     [feed "https://example.org/feed.json"]
///     header = X-Key: 1
struct ConfigFile {
    struct FeedSection {
        let url: ResourceURL
        /// The URL as the file writes it.
        let given: String
        /// The options of its own section.
        let options: [GivenOption]
    }

    private(set) var options: [GivenOption] = []
    private var named = DistinctFeeds()
    /// The options of each feed's section.
    private var own: [[GivenOption]] = []
    private var given: [String] = []

    /// The directory of the file itself, with symbolic links resolved.
    private let directory: String?
    private let world: any World
    /// The index of the feed whose section is being read.
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
        // A comment may have any encoding, and may begin with a character that combines with the #.
        if ConfigLine.isComment(line) { return }
        guard let text = String(validating: line, as: UTF8.self) else { throw UsageError("the line is not UTF-8") }
        // A NUL would end a path in a system call.
        if line.contains(0) { throw UsageError("the line contains a NUL character") }
        switch try ConfigLine(ConfigLine.trim(text[...])) {
        case .nothing: break
        case .section(let url): section = try add(url)
        case .setting("feed", let value):
            guard section == nil else {
                throw UsageError("feed cannot be in the section of a feed", hint: "put it above the first section")
            }
            guard let value else { throw UsageError("feed needs a value: feed = URL") }
            _ = try add(value)
        case .setting(let name, let value):
            let given = try option(name, value)
            try scratch.apply([given], blaming: .configuration)
            if let section { own[section].append(given) } else { options.append(given) }
        }
    }

    /// Reads the config file.
    ///
    /// Returns nil if the default file does not exist.
    static func read(_ settings: Settings, _ world: any World) throws(UsageError) -> ConfigFile? {
        guard let path = world.configPath(settings) else { return nil }
        let bytes: [UInt8]?
        do throws(FeedError) {
            bytes = try world.readFile(path, onlyRegular: false)
        } catch {
            throw UsageError(
                TerminalText.escape("\(path): the config file can't be read: \(error.message)"),
                hint: "--no-config ignores it", exitCode: .configuration)
        }
        if let bytes { return try ConfigFile(bytes, at: path, world) }
        guard settings.config != nil else { return nil }
        throw UsageError("\(TerminalText.escape(path)): this config file does not exist", exitCode: .notFound)
    }

    var feeds: [FeedSection] {
        named.urls.indices.map { FeedSection(url: named.urls[$0], given: given[$0], options: own[$0]) }
    }

    /// Adds a feed, and returns its index in `feeds`.
    private mutating func add(_ text: String) throws(UsageError) -> Int {
        let index = named.add(try feedURL(text))
        if index == own.count {
            own.append([])
            given.append(text)
        }
        return index
    }

    private func feedURL(_ text: String) throws(UsageError) -> ResourceURL {
        let path = try located(text)
        if !text.contains(where: { "/.:".contains($0) }), !world.fileExists(path) {
            throw UsageError(
                "'\(FeedOperand.shown(text))' is neither a URL nor an existing file",
                hint: "write ./NAME for a file that does not exist yet")
        }
        let url = try FeedOperand.feed(text, currentDirectory: "/") { _ in world.fileExists(path) }
        guard !url.isRemote, !text.lowercased().hasPrefix("file:") else { return url }
        return try world.feed(path)
    }

    private func option(_ name: String, _ value: String?) throws(UsageError) -> GivenOption {
        guard let option = OptionTable.long(name), option.isOfConfigFile else { throw unknown(name) }
        guard section == nil || option.scope == .feed else {
            throw UsageError(
                "\(name) applies to the whole run and cannot be in the section of a feed",
                hint: "put it above the first section")
        }
        guard let value = value ?? (option.isFlag ? OptionSpec.present : nil) else {
            throw UsageError("\(name) needs a value: \(name) = \(option.placeholder ?? "")")
        }
        let isStream = value == "-" && option.long == "output"
        return GivenOption(
            option: option, spelling: name, value: option.isPath && !isStream ? try located(value) : value)
    }

    /// Returns a path of this file as an absolute path.
    ///
    /// `~` is the home directory, and a relative path starts in the directory of the file, because cron chooses the
    /// working directory. A URL stays unchanged, and the check of the value reports it.
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
            return UsageError("\(option.long) cannot be in the config file")
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

/// One line of a config file, parsed.
enum ConfigLine: Hashable {
    /// An empty line.
    case nothing
    /// A line `[feed "URL"]`.
    case section(url: String)
    /// A line `name = value` or `name`.
    case setting(name: String, value: String?)

    /// Parses a line without blanks at its ends.
    init(_ line: Substring) throws(UsageError) {
        if line.isEmpty {
            self = .nothing
        } else if line.hasPrefix("[") {
            self = .section(url: try Self.section(line))
        } else {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.trim(parts[0])
            guard !name.isEmpty else { throw UsageError("there is no name before the =") }
            // The message shows only the first word, because the rest may be a password.
            if let blank = name.firstIndex(where: { $0 == " " || $0 == "\t" }) {
                let word = TerminalText.escape(String(name[..<blank]))
                throw UsageError("expected = after '\(word)'", hint: "an option is written NAME = VALUE")
            }
            self = .setting(name: String(name), value: parts.count < 2 ? nil : try Self.value(parts[1]))
        }
    }

    static func isComment(_ line: some Sequence<UInt8>) -> Bool {
        line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } == UInt8(ascii: "#")
    }

    static func trim(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func section(_ line: Substring) throws(UsageError) -> String {
        let shape = UsageError("this is not a section", hint: #"a section is written [feed "URL"]"#)
        guard line.hasSuffix("]") else { throw shape }
        let inner = trim(line.dropFirst().dropLast())
        guard inner.hasPrefix("feed") else { throw shape }
        let rest = inner.dropFirst("feed".count)
        let quoted = trim(rest)
        guard quoted.hasPrefix("\""), quoted.count > 2 else { throw shape }
        return try value(quoted)
    }

    /// Parses a value.
    ///
    /// In double quotes it may have blanks at its ends, and a backslash escapes a quote or a backslash.
    private static func value(_ text: Substring) throws(UsageError) -> String {
        let text = trim(text)
        guard text.hasPrefix("\"") else { return String(text) }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" {
                guard rest.isEmpty else { throw UsageError("there is text after the closing quote") }
                return value
            }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
                throw UsageError(#"in quotes, only " or \ can follow a backslash"#)
            }
            value.append(escaped)
        }
        throw UsageError("a quote is not closed")
    }
}
