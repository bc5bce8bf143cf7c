package import FeedCore

/// What surrounds a run, apart from its arguments.
package struct Surroundings: Sendable {
    package let environment: [String: String]
    /// Variables whose value is no text: mended, it would name another folder.
    package let unreadableVariables: Set<String>
    /// Nil for one that is no text.
    package let currentDirectory: String?
    /// The home in the user's account, for where the environment names none.
    package let accountHome: String?
    package let fileExists: @Sendable (String) -> Bool
    /// With every symbolic link followed; nil where nothing is there.
    package let realPath: @Sendable (String) -> String?
    /// Why it is no file that can be read more than once; nil where it is one. Folders and pipes are none.
    package let unreadable: @Sendable (String) -> String?
    /// A file of moderate size; nil where there is none.
    package let readFile: @Sendable (String) -> Result<[UInt8]?, FeedError>
    /// Nil also where it is a pipe or a device.
    package let readRegularFile: @Sendable (String) -> Result<[UInt8]?, FeedError>

    package init(
        environment: [String: String], unreadableVariables: Set<String> = [], currentDirectory: String?,
        accountHome: String?,
        fileExists: @escaping @Sendable (String) -> Bool,
        realPath: @escaping @Sendable (String) -> String? = { _ in nil },
        unreadable: @escaping @Sendable (String) -> String? = { _ in "there is none" },
        readFile: @escaping @Sendable (String) -> Result<[UInt8]?, FeedError> = { _ in .success(nil) },
        readRegularFile: @escaping @Sendable (String) -> Result<[UInt8]?, FeedError> = { _ in .success(nil) }
    ) {
        self.environment = environment
        self.unreadableVariables = unreadableVariables
        self.currentDirectory = currentDirectory
        self.accountHome = accountHome
        self.fileExists = fileExists
        self.realPath = realPath
        self.unreadable = unreadable
        self.readFile = readFile
        self.readRegularFile = readRegularFile
    }

    var home: String? {
        for case let home? in [environment["HOME"], accountHome] where FilePath.isAbsolute(home) {
            return home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home
        }
        return nil
    }

    /// A path of the current directory where there is no other.
    package static let currentDirectoryLink = "/proc/self/cwd"

    static let noHome = "neither HOME nor the user's account names a home folder"

    /// A path that begins with `~`, with the home folder in its place; nil where there is none. Others as they are.
    func expandingHome(_ path: String) -> String? {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home.map { $0 + path.dropFirst() }
    }
}
