/// The parameters in the query of a URL.
extension ResourceURL {
    private var parameters: [Substring] {
        let query = URLReference(text).query ?? ""
        return query.utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
    }

    /// Returns the value of a parameter of the query, as it is written; nil if there is none.
    func parameter(_ name: String) -> String? {
        let beginning = "\(name)="
        let found = parameters.first { $0.utf8.starts(with: beginning.utf8) }
        return found.map { String(Substring($0.utf8.dropFirst(beginning.utf8.count))) }
    }

    /// Returns the URL with one parameter of this name, which takes the place of the first one in the query.
    func setting(_ name: String, to value: String) -> ResourceURL {
        let setting = "\(name)=\(value)"[...]
        var all: [Substring] = []
        var isSet = false
        for parameter in parameters {
            guard parameter.utf8.prefix(while: { $0 != UInt8(ascii: "=") }).elementsEqual(name.utf8) else {
                all.append(parameter)
                continue
            }
            if !isSet { all.append(setting) }
            isSet = true
        }
        if !isSet { all.append(setting) }
        let beforeQuery = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return ResourceURL(self, text: "\(Substring(beforeQuery))?\(all.joined(separator: "&"))")
    }
}
