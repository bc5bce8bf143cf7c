internal import CXML

/// The attributes of a tag, their names in small letters. They are good only during the call that hands them over.
struct HTMLAttributes {
    /// Names and values by turns, and a null at the end; nil where there are none.
    let first: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?

    /// The value is made where it is asked for. An attribute without one has an empty one.
    func visit(_ tell: (_ name: String, _ value: () -> String) -> Void) {
        guard var next = first else { return }
        while let name = next.pointee {
            let value = next[1]
            tell(String(cString: name)) { value.map { String(cString: $0) } ?? "" }
            next += 2
        }
    }

    subscript(_ name: StaticString) -> String? {
        guard var next = first else { return nil }
        while let given = next.pointee {
            if xmlStrcasecmp(given, name.utf8Start) == 0 { return next[1].map { String(cString: $0) } }
            next += 2
        }
        return nil
    }
}
