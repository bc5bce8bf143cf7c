/// What is wrong with a document that is read all the same.
struct XMLFault {
    let reason: String
    let line: Int
    let column: Int
    /// How many more there are.
    var others = 0

    var failure: DecodingFailure { .malformed(reason, line: line, column: column) }

    var note: String {
        let more =
            switch others {
            case 0: ""
            case 1: ", and another fault"
            default: ", and \(others) more faults"
            }
        return "line \(line): \(reason)\(more); read for what it says"
    }
}
