internal import CXML

enum LibXML {
    /// Once for the process, before its first use.
    static let initialised: Void = xmlInitParser()
}
