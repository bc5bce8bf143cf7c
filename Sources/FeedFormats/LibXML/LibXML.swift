internal import CXML

enum LibXML {
    /// Runs once for the process, before the first use of libxml2.
    static let initialised: Void = xmlInitParser()

    /// libxml2 keeps each name once, and the more names it has, the longer it looks for one.
    static let mostNames: Int32 = 10_000

    /// The character that HTML 4 calls by this name.
    static func character(named name: UnsafePointer<xmlChar>) -> String? {
        htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) }.map { String($0) }
    }
}
