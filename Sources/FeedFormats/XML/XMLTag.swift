/// The start of an element as libxml2 tells of it, good as long as the call that it is handed to.
struct XMLTag {
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    let uri: UnsafePointer<UInt8>?
    /// How many it declares.
    let namespaces: Int
    /// Of each attribute: local name, prefix, URI, and where the value begins and ends.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let attributeCount: Int
    let line: Int
    let column: Int

    func malformed(_ reason: String) -> XMLProblem {
        .malformed(XMLMalformation(reason: reason, line: line, column: column))
    }
}
