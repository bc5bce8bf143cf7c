import FeedCore

/// A FEED (or the URL of an image) as given on the command line: a URL, or the path of a file.
enum FeedOperand {
    /// Relative paths begin in the current directory; nil stands for one whose path is no text. A file that is there is
    /// meant, however it is called.
    static func url(
        _ operand: String, currentDirectory: String?, isFile: (String) -> Bool
    ) throws(UsageError) -> ResourceURL {
        guard !operand.isEmpty else { throw UsageError("an operand is empty") }
        guard let scheme = scheme(of: operand) else {
            if !isFile(operand) { try checkIsNotMistyped(operand) }
            guard let start = currentDirectory ?? (FilePath.isAbsolute(operand) ? "/" : nil) else {
                throw UsageError(
                    "'\(shown(operand))': the path of the current folder is not UTF-8 text",
                    hint: "give one that begins with /", exitCode: .notFound)
            }
            return ResourceURL(filePath: FilePath.normalised(FilePath.absolute(operand, in: start)))
        }
        guard ResourceURL.Scheme(rawValue: scheme.lowercased()) != nil else { throw unknownScheme(scheme, operand) }
        do {
            let url = try ResourceURL(operand)
            // One file is one feed, however its path is written.
            return url.filePath.map { ResourceURL(filePath: FilePath.normalised($0)) } ?? url
        } catch {
            throw UsageError("'\(shown(operand))' is no usable URL: \(error.reason)")
        }
    }

    /// Whether it is one that names a server or a file, in whatever capitals and whatever stands before it, such as a
    /// quote: no path is meant by it.
    static func isURL(_ operand: String) -> Bool {
        let shape = OperandShape(operand)
        guard shape.beginning.last == UInt8(ascii: "/") else { return false }
        return shape.scheme.map(OperandShape.isKnown) ?? (shape.misplaced != nil)
    }

    private static func unknownScheme(_ scheme: Substring, _ operand: String) -> UsageError {
        let rest = operand.dropFirst(scheme.count + 1)
        let hint =
            if rest.first?.isNumber == true {
                "did you mean http://\(shown(operand))?"
            } else if rest.hasPrefix("//") {
                "a feed is at an http:, https: or file: URL"
            } else {
                "if it is a file, give it as ./NAME"
            }
        return UsageError("'\(shown(operand))' has a scheme that is not supported: \(scheme)", hint: hint)
    }

    private static func scheme(of operand: String) -> Substring? { OperandShape(operand).scheme.map { Substring($0) } }
}

extension Surroundings {
    /// Of a FEED that is given where the program was started.
    func url(of operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.url(operand, currentDirectory: currentDirectory, isFile: fileExists)
    }
}
