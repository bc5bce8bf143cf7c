extension FeedOperand {
    /// An operand as a message may show it: no control character and no password. In a URL that may be malformed,
    /// nothing before the last @ is known not to be one, nor what stands in the place of a port.
    static func shown(_ operand: String) -> String { TerminalText.escape(withoutPassword(operand)) }

    private static func withoutPassword(_ operand: String) -> String {
        let shape = OperandShape(operand)
        let isPath = shape.beginning.isEmpty
        // A path may begin with what a shell has parted from a password.
        let hiding = isPath && !shape.authority.contains(colon) ? shape.authority : operand[...].utf8
        if let at = hiding.lastIndex(of: self.at), !isPath || !shape.authority.isEmpty {
            let beginning = at < shape.beginning.endIndex ? "" : Substring(shape.beginning)
            return "\(beginning)***\(operand[at...])"
        }
        let authority = shape.authority
        let address = authority.first == UInt8(ascii: "[") ? authority.prefix { $0 != UInt8(ascii: "]") } : nil
        guard !isPath, let mark = authority[(address?.endIndex ?? authority.startIndex)...].firstIndex(of: colon),
            !authority[mark...].dropFirst().allSatisfy(OperandShape.isDigit)
        else { return operand }
        return "\(operand[...mark])***"
    }

    /// A path would be made of what was meant as a URL, and told with the password in it: there is something before its
    /// scheme, such as a quote that the config file doesn't know, or a password and not all of its scheme.
    static func checkIsNotMistyped(_ operand: String) throws(UsageError) {
        let shape = OperandShape(operand)
        if let (surplus, scheme) = shape.misplaced {
            throw UsageError(
                "'\(shown(operand))' is no usable URL: it does not begin with http:, https: or file:",
                hint: "leave out \(name(of: Substring(surplus))) before \(Substring(scheme)):")
        }
        guard lacksScheme(shape) else { return }
        throw UsageError(
            "no file is meant by '\(shown(operand))'",
            hint: "did you mean \(halfScheme(shape) == "http" ? "http" : "https")://…? A file can be given as ./NAME")
    }

    private static func name(of surplus: Substring) -> String {
        if surplus.allSatisfy(\.isWhitespace) { return "the blank" }
        return surplus.allSatisfy("'\"`‘’‚“”„«»".contains) ? "the quote" : "what stands"
    }

    private static func lacksScheme(_ shape: OperandShape) -> Bool {
        guard shape.scheme == nil else { return false }
        let userInfo = shape.authority.lastIndex(of: at).map { shape.authority[..<$0] }
        if userInfo?.contains(colon) == true { return true }
        guard !shape.beginning.isEmpty, ["", "http", "https"].contains(halfScheme(shape)) else { return false }
        return userInfo != nil || shape.authority.contains(colon) && shape.place.contains(at)
    }

    /// What stands where a URL has its scheme, less quotes and the like.
    private static func halfScheme(_ shape: OperandShape) -> String {
        String(Substring(shape.first.drop { !OperandShape.isLetter($0) })).lowercased()
    }

    private static let colon = UInt8(ascii: ":")
    private static let at = UInt8(ascii: "@")
}
