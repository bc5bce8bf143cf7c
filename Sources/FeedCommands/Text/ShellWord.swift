/// A word of a command that a user copies into a shell.
enum ShellWord {
    /// Returns the word in quotes if a shell could read it in another way.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "%+,-./:=@_".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty ? word : Shell.bash.quoted(word)
    }
}
