extension ResourceURL {
    /// The name of a feed without possible secrets, which are the query and the directories of this machine.
    package var place: String {
        if let path = filePath {
            let file = FilePath.names(in: path).last ?? "a local file"
            let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? ""
            return String(stem.isEmpty ? file : stem)
        }
        let address = text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "?" && $0 != "#" }
        return address.hasSuffix("/") ? String(address.dropLast()) : String(address)
    }
}
