internal import CXML

enum LibXML {
    /// Once for the process, before its first use.
    static let initialised: Void = xmlInitParser()

    /// It keeps each name once, and looks for one the longer the more there are.
    static let mostNames: Int32 = 10_000
}
